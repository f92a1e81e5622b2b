import gzip
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.formats import LoadedGraphs, ReadOptions, load, save
from sbgd.formats.edge_text import read_table
from sbgd.formats.files import Source
from sbgd.graph import Graph

PATH = [[0, 1], [1, 2]]


def read(
    tmp_path: Path, text: str | bytes, options: ReadOptions | None = None, name: str = "graph.txt"
) -> LoadedGraphs:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(file, options=options)


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n1 2\n",
        "0 1\n1 2",
        "0\t1\n1\t2\n",
        "0,1\n1,2\n",
        "0, 1\n1, 2\n",
        "0;1\n1;2\n",
        "0 1\r\n1 2\r\n",
        "\ufeff0 1\n1 2\n",
        "\n0 1\n\n1 2\n\n",
        "  0   1  \n1 2\n",
        "# a comment\n0 1\n# another\n1 2\n",
        "% sym unweighted\n% 2 3 3\n0 1\n1 2\n",
        "source,target\n0,1\n1,2\n",
        "Source Target\n0 1\n1 2\n",
        "FromNodeId\tToNodeId\n0\t1\n1\t2\n",
        "left,right\n0,1\n1,2\n",
        "https://example.org/graph.html\n# comment\n0 1\n1 2\n",
        '"source","target"\n"0","1"\n"1","2"\n',
        "id,target,source\n5,1,0\n6,2,1\n",
        "0 1 {}\n1 2 {}\n",
        "0 1 1\n1 2 1.0\n",
    ],
)
def test_published_shapes_of_the_same_path(tmp_path: Path, text: str) -> None:
    graph = read(tmp_path, text).graphs[0]
    assert graph == Graph.from_edges(PATH, 3)


def test_gzip_is_read_by_its_content(tmp_path: Path) -> None:
    assert read(tmp_path, gzip.compress(b"0 1\n1 2\n"), name="graph.txt").graphs == [Graph.from_edges(PATH, 3)]


def test_integer_ids_that_are_no_positions_are_kept(tmp_path: Path) -> None:
    graph = read(tmp_path, "30 10\n10 7\n").graphs[0]
    assert graph.node_ids is not None
    assert graph.node_ids.tolist() == [7, 10, 30]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_text_ids_are_kept(tmp_path: Path) -> None:
    graph = read(tmp_path, "ann\tbob smith\nbob smith\t3\n").graphs[0]
    assert graph.node_ids is not None
    assert graph.node_ids.tolist() == ["3", "ann", "bob smith"]
    assert graph.edges.tolist() == [[0, 2], [1, 2]]


def test_leading_zeros_make_a_name_not_a_number(tmp_path: Path) -> None:
    graph = read(tmp_path, "1 01\n01 001\n").graphs[0]
    assert graph.num_nodes == 3
    assert graph.node_ids is not None
    assert set(graph.node_ids.tolist()) == {"1", "01", "001"}


def test_report_counts_what_was_read_and_merged(tmp_path: Path) -> None:
    report = read(tmp_path, "# c\nsource target\n0 1\n1 0\n0 1\n").report
    assert report.lines() == [
        "5 lines read",
        "1 comment line skipped",
        "1 header line skipped",
        "1 edge kept",
        "2 duplicates merged",
    ]


def test_a_self_loop_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"got node 1 to itself at line 2 of .*graph\.txt \(1 in all\); .*self_loops=drop"
    ):
        read(tmp_path, "0 1\n1 1\n1 2\n")


@pytest.mark.parametrize("text", ["# c\n\n0 1\n4 4\n", "# c\n\na b\nz z\n"])
def test_line_numbers_count_comments_and_blank_lines(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"at line 4 of"):
        read(tmp_path, text)


def test_self_loops_are_dropped_and_counted_on_request(tmp_path: Path) -> None:
    loaded = read(tmp_path, "0 1\n1 1\n1 2\n", ReadOptions(self_loops="drop"))
    assert loaded.graphs == [Graph.from_edges(PATH, 3)]
    assert "1 self-loop dropped" in loaded.report.lines()


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("0 1\n1 2\n2", "expected 2 fields, got 1 at line 3 of"),
        ("0,1\n1,2\n2,", "expected 2 fields, got 1 at line 3 of"),
        ("0,1\n1,,2\n", "expected 2 fields, got 2 at line 2 of"),
        ("0 1 1\n1 2\n", "expected 3 fields, got 2 at line 2 of"),
        ("a b\nb c\nd\n", "expected 2 fields, got 1 at line 3 of"),
        ("# only\n# comments\n", "expected edges, got none in the 2 lines of"),
        ("source,target\n", "expected edges, got none in the 1 lines of"),
        (b"0 1\n\xff 2\n", "expected UTF-8 text, got byte 0xff at offset 4"),
        ("", "expected a graph file, got an empty one"),
    ],
)
def test_malformed_text_is_refused_with_its_place(tmp_path: Path, text: str | bytes, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        read(tmp_path, text)


@pytest.mark.parametrize("text", ["0 1 0.5\n1 2 -1\n2 3 0\n", "source,target,weight\n0,1,0.5\n1,2,-1\n2,3,0\n"])
def test_weights_are_refused_ignored_or_cut_but_never_truncated(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"got weight 0\.5 at line .* \(3 edges not 1\); pass weights=ignore"):
        read(tmp_path, text)
    ignored = read(tmp_path, text, ReadOptions(weights="ignore"))
    assert ignored.graphs[0].num_edges == 3
    assert "not used: weight" in ignored.report.lines()
    above = read(tmp_path, text, ReadOptions(weight_threshold=0.0))
    assert above.graphs[0].edges.tolist() == [[0, 1]]
    assert above.graphs[0].num_nodes == 4
    assert above.report.edges_below_threshold == 2


def test_weights_of_networkx_files_count_as_weights(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"got weight 0.5 at line 1"):
        read(tmp_path, "0 1 {'weight': 0.5}\n1 2 {'weight': 1}\n")


def test_other_columns_are_named_in_the_report(tmp_path: Path) -> None:
    named = read(tmp_path, "source,target,time,kind\n0,1,99,a\n1,2,98,b\n")
    assert "not used: time, kind" in named.report.lines()
    positional = read(tmp_path, "0 1 1 1082040961\n1 2 1 1082155839\n")
    assert "not used: column 4" in positional.report.lines()


def test_networkx_reads_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "graph.edges"
    save([Graph.from_edges([(0, 2), (1, 2)], 4, node_ids=[4, 2, 6, 9], features=np.ones((4, 1)))], path)
    assert sorted(map(sorted, nx.read_edgelist(path, nodetype=int).edges)) == [[2, 6], [4, 6]]


def test_the_header_is_as_documented(tmp_path: Path) -> None:
    path = tmp_path / "graph.edges"
    save([Graph.from_edges([(0, 1)], 3, node_ids=[4, 2, 6], features=[0.5, 1.0, 0.0], labels=[0, 1, 1])], path)
    assert path.read_text() == (
        "# sbgd edge list: num_nodes=3 num_edges=1 endpoints=ids num_features=1\n# ids: [4, 2, 6]\n"
        "# x: [[0.5], [1.0], [0.0]]\n# y: [0, 1, 1]\n4 2\n"
    )


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("num_nodes=3 num_edges=2 endpoints=ids\n0 1\n", "expected 2 edges as the header says, got 1"),
        (
            "num_nodes=3 num_edges=1 endpoints=ids\n# ids: [4, 2, 6]\n4 3\n",
            "ids that the header lists, got 3 at line 3",
        ),
        ("num_nodes=3 num_edges=1 endpoints=ids\n# ids: [4, 2]\n4 2\n", "expected 3 entries of '# ids:'"),
        ("num_nodes=3 num_edges=1 endpoints=ids\n# ids: [4, 2\n4 2\n", "expected a JSON list after '# ids:'"),
        ("num_nodes=2 num_edges=1 endpoints=ids\n0 5\n", r"expected node indices in 0\.\.1, got edge 0 5 at line 2"),
        ("num_nodes=1 num_edges=0 endpoints=ids num_features=2\n# x: [[1]]\n", "expected 2 numbers a node"),
        ("num_nodes=2 num_edges=1 endpoints=ids\na b\n", "expected node positions, got names"),
    ],
)
def test_a_damaged_file_of_ours_is_refused(tmp_path: Path, text: str, fragment: str) -> None:
    with pytest.raises(InputError, match=fragment):
        read(tmp_path, f"# sbgd edge list: {text}")


def test_the_fast_and_the_careful_parser_agree(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    rows = generator.integers(-50, 50, (300, 3)).tolist()
    lines = [f" {u}  {v}   {w} " if u % 3 else f"{u} {v} {w}\n" for u, v, w in rows]
    fast, careful = ("\n".join(lines), "\n".join([*lines, "# a comment asks for care"]))
    tables = [read_table(text, Source(tmp_path, b"", "")) for text in (fast, careful)]
    for left, right in zip(tables[0].columns, tables[1].columns, strict=True):
        assert left.tolist() == right.tolist()
    assert tables[0].lines.tolist() == tables[1].lines.tolist()


def test_chunks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sbgd.formats.edge_text.CHUNK_BYTES", 16)
    text = "".join(f"{i} {i + 1}\n" for i in range(200))
    assert read(tmp_path, text).graphs == [Graph.from_edges([(i, i + 1) for i in range(200)], 201)]
    with pytest.raises(InputError, match="at line 201 of"):
        read(tmp_path, text + "5 5\n")
