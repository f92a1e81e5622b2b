import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from sbgd.commands import partition as command
from sbgd.errors import InputError
from sbgd.partition import MetisPartitioner, Partition


def _run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["partition", *arguments])
    return args.run(args)


@pytest.fixture
def edge_list(tmp_path: Path) -> str:
    path = tmp_path / "cycle.txt"
    path.write_text("".join(f"{i} {(i + 1) % 40}\n" for i in range(40)))
    return str(path)


def test_the_table_shows_the_figures(edge_list: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(edge_list, "--block-size", "10") == 0
    shown = capsys.readouterr().out
    assert "num blocks" in shown
    assert "connected share" in shown


def test_out_holds_the_partition_and_json_its_figures(edge_list: str, tmp_path: Path) -> None:
    out, figures = tmp_path / "blocks.npz", tmp_path / "figures.json"
    _run(edge_list, "--block-size", "10", "--seed", "3", "--out", str(out), "--json", str(figures))
    partition = Partition.load(out)
    assert partition.num_nodes == 40
    written = json.loads(figures.read_text())
    assert written["schema"] == 1
    assert written["seed"] == 3
    assert written["partitioner"] == repr(MetisPartitioner(block_size=10))
    assert written["num_blocks"] == partition.num_blocks
    assert written["cut_share"] == partition.num_blocks / 40
    assert written["connected_share"] == 1


def test_several_graphs_get_an_array_each(tmp_path: Path) -> None:
    _run("planar:test", "--block-size", "16", "--out", str(tmp_path / "blocks.npz"))
    with np.load(tmp_path / "blocks.npz") as arrays:
        names = arrays.files
        assert names == [f"assignment_{i}" for i in range(len(names))]
        assert len(names) > 1
        assert arrays["assignment_0"].max() >= 1


def test_disconnected_blocks_are_kept_only_if_allowed(tmp_path: Path) -> None:
    path = tmp_path / "star.txt"
    path.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 101)))
    _run(str(path), "--block-size", "10", "--out", str(tmp_path / "apart.npz"))
    _run(str(path), "--block-size", "10", "--allow-disconnected", "--out", str(tmp_path / "whole.npz"))
    assert Partition.load(tmp_path / "apart.npz").num_blocks > 80
    assert Partition.load(tmp_path / "whole.npz").num_blocks <= 15


def test_louvain_blocks_are_at_most_twice_the_size(edge_list: str, tmp_path: Path) -> None:
    _run(edge_list, "--partitioner", "louvain", "--block-size", "5", "--out", str(tmp_path / "blocks.npz"))
    assert Partition.load(tmp_path / "blocks.npz").sizes.max() <= 10


def test_an_absent_folder_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"create .* first"):
        _run("no such data", "--out", str(tmp_path / "absent" / "blocks.npz"))


def test_a_block_size_of_zero_is_refused(edge_list: str) -> None:
    with pytest.raises(InputError, match="block_size of at least 1, got 0"):
        _run(edge_list, "--block-size", "0")
