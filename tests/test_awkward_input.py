"""What awkward users type: every fault is one line and exit code 2, and everything legal works from end to end."""

import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from sbgd.cli import main
from sbgd.errors import InputError
from sbgd.formats import load, save
from sbgd.graph import Graph
from sbgd.sampling.limits import MAX_GRAPHS, check_limits

Capture = pytest.CaptureFixture[str]

CONFIG = Path(__file__).resolve().parents[1] / "configs" / "experiment" / "cora.yaml"
DATA, MODEL = "--data.init_args.", "--model.init_args."
TINY = [
    *("--config", str(CONFIG), "--trainer.max_steps", "3", "--trainer.log_every_n_steps", "1"),
    *(f"{DATA}steps_per_epoch", "3", f"{DATA}num_partitions", "1", f"{DATA}val_batches", "1"),
    *(f"{MODEL}block_denoiser.init_args.width", "8", f"{MODEL}block_denoiser.init_args.num_layers", "1"),
]


def _graph(num_nodes: int, edges: Sequence[Sequence[int]] = (), **attributes: Any) -> Graph:
    return Graph.from_edges(np.array(edges, np.int64).reshape(-1, 2), num_nodes, **attributes)


def _clique(nodes: Sequence[int]) -> list[list[int]]:
    return [[u, v] for u in nodes for v in nodes if u < v]


def _random(num_nodes: int) -> Graph:
    edges = np.random.default_rng(num_nodes).integers(0, num_nodes, (2 * num_nodes, 2))
    return _graph(num_nodes, edges[edges[:, 0] != edges[:, 1]])


_WIDE = np.stack([np.full(60, 3.0), np.linspace(-1e6, 1e6, 60), np.linspace(0, 1, 60)], axis=1)

GRAPHS: dict[str, list[Graph]] = {
    "one node": [_graph(1)],
    "two nodes": [_graph(2)],
    "one edge": [_graph(2, [[0, 1]])],
    "no edges": [_graph(50)],
    "trailing isolated": [_graph(5, [[0, 1]])],
    "two components": [_graph(40, _clique(range(20)) + _clique(range(20, 40)))],
    "star": [_graph(2001, [[0, leaf] for leaf in range(1, 2001)])],
    "path": [_graph(100, [[u, u + 1] for u in range(99)])],
    "clique of 65": [_graph(65, _clique(range(65)))],
    "clique of 200": [_graph(200, _clique(range(200)))],
    "bipartite": [_graph(40, [[u, v] for u in range(20) for v in range(20, 40)])],
    "many sizes": [_random(size) for size in (1, 2, 3, 5, 20, 60, 300)],
    "an empty graph among others": [_graph(0), _random(20)],
    "only an empty graph": [_graph(0)],
    "constant and huge features": [_random(60).replace(features=_WIDE)],
    "one node, one feature": [_graph(1, features=[[5e6]])],
}
BLOCKED = {"star", "clique of 200"}  # seconds or minutes to sample: only their training is tested


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with a collection for every entry of GRAPHS."""
    folder = tmp_path_factory.mktemp("awkward")
    for name, graphs in GRAPHS.items():
        save(graphs, folder / f"{name}.npz")
    return folder


@pytest.fixture(scope="module")
def model(place: Path) -> Path:
    """Returns a model of the path."""
    assert _fit(place / "path.npz", place / "model") == 0
    return place / "model"


def _fit(data: Path | str, run: Path, *arguments: str) -> int:
    return main(["fit", *TINY, f"{DATA}train", str(data), "--run_dir", str(run), *arguments])


def _refused(capsys: Capture, arguments: Sequence[str | Path], *fragments: str) -> str:
    """Checks that a command is refused in one line that holds all fragments."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    lines = capsys.readouterr().err.splitlines()
    assert code == 2, lines
    assert len(lines) == 1, lines
    assert lines[0].startswith("sbgd: error: ")
    for fragment in fragments:
        assert fragment in lines[0]
    return lines[0]


def _losses(run: Path) -> list[float]:
    (metrics,) = run.glob("metrics/*/metrics.csv")
    rows = csv.DictReader(metrics.read_text().splitlines())
    return [float(value) for row in rows for key, value in row.items() if "/" in key and value]


# Legal input, from end to end


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "only an empty graph"])
def test_any_graph_can_be_learnt_and_sampled(place: Path, tmp_path: Path, name: str) -> None:
    more = [f"{DATA}features", "true"] if "feature" in name else []
    assert _fit(place / f"{name}.npz", tmp_path / "run", *more) == 0
    losses = _losses(tmp_path / "run")
    assert losses
    assert all(math.isfinite(loss) for loss in losses)
    sizes = ["1"] if name in BLOCKED else ["1", "2", "7", "77"]
    for size in sizes:
        out = tmp_path / size
        sample = ["sample", "--checkpoint", str(tmp_path / "run"), "--num-nodes", size, "--steps", "2"]
        assert main([*sample, "--out", str(out)]) == 0
        (graph,) = load(out).graphs
        assert graph.num_nodes == int(size)
        assert graph.num_features == GRAPHS[name][-1].num_features
        assert graph.features is None or np.isfinite(graph.features).all()


@pytest.mark.parametrize("partitioner", ["metis", "louvain"])
@pytest.mark.parametrize("name", GRAPHS)
def test_any_graph_can_be_partitioned(
    place: Path, tmp_path: Path, capsys: Capture, name: str, partitioner: str
) -> None:
    command = ["partition", str(place / f"{name}.npz"), "--partitioner", partitioner]
    assert main([*command, "--json", str(tmp_path / "cut.json"), "--out", str(tmp_path / "cut.npz")]) == 0
    assert "NaN" not in (tmp_path / "cut.json").read_text()
    limit = 40 if partitioner == "metis" else 64
    with np.load(tmp_path / "cut.npz") as cuts:
        assert len(cuts.files) == len(GRAPHS[name])
        for graph, key in zip(GRAPHS[name], cuts.files, strict=True):
            sizes = np.bincount(cuts[key])
            assert sizes.sum() == graph.num_nodes
            assert ((sizes > 0) & (sizes <= limit)).all()


def test_more_blocks_than_nodes_give_one_block_a_node(place: Path, tmp_path: Path) -> None:
    command = ["partition", str(place / "one edge.npz"), "--block-size", "1"]
    assert main([*command, "--out", str(tmp_path / "cut.npz")]) == 0
    with np.load(tmp_path / "cut.npz") as cut:
        assert sorted(cut["assignment"].tolist()) == [0, 1]


@pytest.mark.parametrize("generated", [name for name in GRAPHS if name not in {"only an empty graph", "clique of 200"}])
def test_any_graph_can_be_evaluated(place: Path, tmp_path: Path, generated: str) -> None:
    command = ["evaluate", str(place / f"{generated}.npz"), "--reference", str(place / "path.npz")]
    assert main([*command, "--baselines", "none", "--json", str(tmp_path / "metrics.json")]) == 0
    metrics = json.loads((tmp_path / "metrics.json").read_text())  # written with allow_nan=False: all finite
    assert metrics["sets"]["generated"]["num_nodes"] == sum(graph.num_nodes for graph in GRAPHS[generated])


def test_a_copy_of_the_reference_has_no_error(place: Path, tmp_path: Path) -> None:
    data = str(place / "many sizes.npz")
    assert main(["evaluate", data, "--reference", data, "--baselines", "none", "--json", str(tmp_path / "m.json")]) == 0
    metrics = json.loads((tmp_path / "m.json").read_text())
    assert [value["error"] for value in metrics["statistics"].values() if value["error"] not in (None, 0)] == []
    assert all(abs(value["biased"]) < 1e-6 for value in metrics["mmd"].values() if value["biased"] is not None)


def test_isolated_nodes_and_cliques_are_far_from_a_path(place: Path, tmp_path: Path) -> None:
    for name, mean_degree in (("no edges", 0), ("clique of 65", 64)):
        command = ["evaluate", str(place / f"{name}.npz"), "--reference", str(place / "path.npz")]
        assert main([*command, "--baselines", "none", "--json", str(tmp_path / f"{name}.json")]) == 0
        statistics = json.loads((tmp_path / f"{name}.json").read_text())["statistics"]
        assert statistics["mean_degree"]["generated"] == mean_degree
        assert statistics["isolated_share"]["generated"] == (mean_degree == 0)


def test_five_graphs_give_an_interval(tmp_path: Path) -> None:
    save([_random(20 + size) for size in range(5)], tmp_path / "five.npz")
    command = ["evaluate", str(tmp_path / "five.npz"), "--reference", str(tmp_path / "five.npz")]
    assert main([*command, "--baselines", "none", "--json", str(tmp_path / "m.json")]) == 0
    low, high = json.loads((tmp_path / "m.json").read_text())["mmd"]["degree"]["interval"]
    assert low <= high


@pytest.mark.parametrize(
    ("text", "nodes", "edges", "reported"),
    [
        ("0 1\n1 0\n0 1\n", 2, 1, "2 duplicates merged"),
        ("4 6\n2 6\n", 3, 2, "2 edges kept"),
        ("alice,bob\nbob,zoë\n", 3, 2, "2 edges kept"),
        ("0 1\r\n1 2\r\n", 3, 2, "2 edges kept"),
        ("\ufeff0;1\n1;2\n", 3, 2, "2 edges kept"),
        ("0 99999999999999999999\n1 -2\n", 4, 2, "2 edges kept"),
    ],
)
def test_awkward_edge_lists_are_read_and_reported(
    tmp_path: Path, capsys: Capture, text: str, nodes: int, edges: int, reported: str
) -> None:
    path = tmp_path / "ein Name: mit ü.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert main(["data", str(path), "--json", str(tmp_path / "figures.json")]) == 0
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["nodes"][0], figures["edges"][0]) == (nodes, edges)
    assert reported in capsys.readouterr().out
    assert _fit(path, tmp_path / "run: ü") == 0


def test_dropped_self_loops_are_counted(tmp_path: Path, capsys: Capture, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "loops.csv"
    path.write_text("0 1\n1 1\n1 2\n")
    _refused(capsys, ["data", path], "line 2", "self_loops=drop")
    _refused(capsys, ["fit", *TINY, f"{DATA}train", path, "--run_dir", tmp_path / "run"], "line 2")
    assert main(["data", str(path), "--self-loops", "drop"]) == 0
    assert "1 self-loop dropped" in capsys.readouterr().out
    with caplog.at_level("INFO"):
        assert _fit(path, tmp_path / "run", f"{DATA}self_loops", "drop") == 0
    assert "1 self-loop dropped" in caplog.text


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("constant and huge features", "3 feature columns are not modelled"),
        ("an empty graph among others", "1 graphs without nodes are left out"),
    ],
)
def test_what_training_leaves_out_is_reported(
    place: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, reported: str
) -> None:
    with caplog.at_level("INFO"):
        assert _fit(place / f"{name}.npz", tmp_path / "run") == 0
    assert reported in caplog.text


@pytest.mark.parametrize("form", ["npz", "edgelist", "graphml", "parquet"])
def test_isolated_samples_survive_every_format_and_name(model: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"größe 1: {form}"
    command = ["sample", "--checkpoint", str(model), "--num-nodes", "1", "--num-graphs", "2", "--format", form]
    assert main([*command, "--out", str(out)]) == 0
    assert [graph.num_nodes for graph in load(out).graphs] == [1, 1]


def test_ten_times_the_training_size_is_met(model: Path, tmp_path: Path) -> None:
    command = ["sample", "--checkpoint", str(model), "--num-nodes", "x10", "--steps", "2", "--out", str(tmp_path)]
    assert main(command) == 0
    assert load(tmp_path).graphs[0].num_nodes == 1000


def test_no_warm_up_and_large_blocks_train(place: Path, tmp_path: Path) -> None:
    more = [f"{MODEL}warmup_steps", "0", f"{DATA}partitioner.init_args.block_size", "1000", f"{DATA}batch_size", "1"]
    assert _fit(place / "path.npz", tmp_path / "run", *more) == 0
    assert all(math.isfinite(loss) for loss in _losses(tmp_path / "run"))


# Wrong graphs


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (None, "existing"),
        (b"", "empty"),
        (b"# nothing\n", "expected edges"),
        (b"0\n1\n2\n", "line 1"),
        (b"0 1\n1 2 3\n", "line 2"),
        (b"0 1 0.5\n1 2 -1\n", "weights=ignore"),
        (bytes(range(256)), "UTF-8"),
        (b"\x80\x04N.", "pickle"),
        (b"PK\x03\x04 and no more", "npz"),
        (b"\x1f\x8b and no more", "gzip"),
    ],
)
def test_a_wrong_file_is_refused_by_every_verb(
    tmp_path: Path, capsys: Capture, content: bytes | None, fragment: str
) -> None:
    path = tmp_path / ("graph.npz" if content and content.startswith(b"PK") else "graph.csv")
    if content is not None:
        path.write_bytes(content)
    run = tmp_path / "run"
    for command in (
        ["data", path, "--convert", tmp_path / "out.npz"],
        ["partition", path, "--out", tmp_path / "cut.npz"],
        ["evaluate", path, "--reference", path, "--json", tmp_path / "m.json"],
        ["fit", *TINY, f"{DATA}train", path, "--run_dir", run],
    ):
        _refused(capsys, command, fragment)
    assert {entry.name for entry in tmp_path.iterdir()} <= {path.name}


def test_directed_files_are_refused_by_default(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "d.graphml"
    path.write_text(
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'><graph edgedefault='directed'>"
        "<node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>"
    )
    _refused(capsys, ["data", path], "directed=symmetrise")
    assert main(["data", str(path), "--directed", "symmetrise"]) == 0
    assert "1 directed graph symmetrised" in capsys.readouterr().out


def _with_features(place: Path, path: Path, features: np.ndarray[Any, Any]) -> Path:
    with np.load(place / "constant and huge features.npz") as arrays:
        np.savez(path, **{**arrays, "node_feat": features})
    return path


def test_features_that_do_not_fit_are_refused(place: Path, tmp_path: Path, capsys: Capture) -> None:
    spoilt = _WIDE.copy()
    spoilt[4, 1] = np.nan
    path = _with_features(place, tmp_path / "nan.npz", spoilt)
    _refused(capsys, ["data", path], "graph 0", "node 4", "column 1", "non_finite=mean")
    assert main(["data", str(path), "--non-finite", "mean"]) == 0
    assert "1 non-finite feature filled" in capsys.readouterr().out
    short = _with_features(place, tmp_path / "short.npz", _WIDE[:-1])
    _refused(capsys, ["fit", *TINY, f"{DATA}train", short, "--run_dir", tmp_path / "run"], "60 rows", "59")


def test_features_of_other_widths_are_refused(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "in").mkdir()
    for name, width in (("a", 1), ("b", 2)):
        save([_graph(2, [[0, 1]], features=np.ones((2, width)))], tmp_path / "in" / f"{name}.npz")
    _refused(capsys, ["data", tmp_path / "in"], "a.npz", "b.npz")
    run = ["--run_dir", tmp_path / "run"]
    train, val = f"{DATA}train", f"{DATA}val"
    both = [train, tmp_path / "in" / "a.npz", val, tmp_path / "in" / "b.npz", f"{DATA}features", "true"]
    _refused(capsys, ["fit", *TINY, *both, *run], "feature columns")


def test_graphs_without_nodes_or_no_graphs_are_refused(place: Path, tmp_path: Path, capsys: Capture) -> None:
    empty, path = place / "only an empty graph.npz", place / "path.npz"
    run = ["--run_dir", tmp_path / "run"]
    _refused(capsys, ["fit", *TINY, f"{DATA}train", empty, *run], "graphs with nodes")
    _refused(capsys, ["evaluate", empty, "--reference", path], "generated")
    _refused(capsys, ["evaluate", path, "--reference", empty], "reference")
    (tmp_path / "nothing").mkdir()
    _refused(capsys, ["data", tmp_path / "nothing"], "got none")
    assert not (tmp_path / "run").exists()


# Wrong requests to `sbgd sample`


@pytest.mark.parametrize(
    "size",
    [
        "0",
        "-5",
        "1.5",
        "abc",
        "x",
        "x0",
        "x-1",
        "xnan",
        "xinf",
        "x1e300",
        "5:2",
        "0:5",
        "a:b",
        ":",
        "1:2:3",
        "1e12",
        "1000000000000",
        "99999999999999999999",
    ],
)
def test_nonsense_sizes_are_refused(model: Path, tmp_path: Path, capsys: Capture, size: str) -> None:
    _refused(capsys, ["sample", "--checkpoint", model, f"--num-nodes={size}", "--out", tmp_path / "out"], "expected")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["{", "x y", "10 -1", "0 1", "", "10", "1e3 1", '{"10": null}', "10 nan", "1e400 1"])
def test_a_wrong_histogram_is_refused(model: Path, tmp_path: Path, capsys: Capture, text: str) -> None:
    (tmp_path / "sizes.txt").write_text(text)
    command = ["sample", "--checkpoint", model, "--num-nodes", tmp_path / "sizes.txt", "--out", tmp_path / "out"]
    _refused(capsys, command, "expected")


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["--seed=-1"], "--seed"),
        (["--seed", "1" + 30 * "0"], "--seed"),
        (["--format", "gml"], "npz"),
        (["--steps", "0"], "--steps"),
        (["--batch-size", "0"], "--batch-size"),
        (["--num-graphs", "0"], "--num-graphs"),
        (["--num-graphs", "1000000000000"], str(MAX_GRAPHS)),
        (["--num-graphs", "2000000", "--num-nodes", "1000000"], "GiB"),
        (["--device", "tpu"], "--device"),
        (["--device", "cpu:x"], "--device"),
        (["--nonsense"], "--help"),
        (["--calibrate"], "expected no --calibrate for a model of blocks"),
        (["--solver", "heun"], "expected no --solver for a model of blocks"),
        (["--given", "cora"], "expected no --given for a model of blocks"),
    ],
)
def test_a_wrong_option_of_sample_is_refused(
    model: Path, tmp_path: Path, capsys: Capture, arguments: list[str], fragment: str
) -> None:
    _refused(capsys, ["sample", "--checkpoint", model, *arguments, "--out", tmp_path / "out"], fragment)
    assert not (tmp_path / "out").exists()


def test_memory_sets_the_largest_size(model: Path) -> None:
    from sbgd.models import load_model

    quotients = load_model(model).quotients
    # A path of 100 nodes and 99 edges: 64 + 32 * 0.99 bytes a node, and 12 a feature.
    check_limits(np.array([10_000]), quotients, 1, memory_bytes=1_080_000)
    with pytest.raises(InputError, match="at most 9983 nodes in all"):
        check_limits(np.array([5_000, 5_000]), quotients, 1, memory_bytes=1_075_000)
    with pytest.raises(InputError, match="nodes in a graph"):
        check_limits(np.array([10**9]), quotients, 0, memory_bytes=1 << 60)


# Wrong checkpoints


def _json(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def apply(folder: Path) -> None:
        description = json.loads((folder / "model.json").read_text())
        change(description)
        (folder / "model.json").write_text(json.dumps(description))

    return apply


def _tensors(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def apply(folder: Path) -> None:
        tensors = {name: value.clone() for name, value in load_file(folder / "model.safetensors").items()}
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return apply


def _cut(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:100])


@pytest.mark.parametrize(
    ("damage", "fragment"),
    [
        (lambda folder: (folder / "model.json").unlink(), "model.json"),
        (lambda folder: (folder / "model.safetensors").unlink(), "model.safetensors"),
        (lambda folder: (folder / "model.json").write_text("[]"), "another kind"),
        (_cut("model.json"), "damaged"),
        (_cut("model.safetensors"), "damaged"),
        (_json(lambda it: it.update(schema=99)), "schema 99"),
        (_json(lambda it: it.update(model="digress")), "another kind"),
        (_json(lambda it: it.pop("block_denoiser")), "'block_denoiser'"),
        (_json(lambda it: it.pop("process")), "'process'"),
        (_json(lambda it: it.update(process="vp")), "model.json"),
        (_json(lambda it: it.update(block_denoiser=[1])), "model.json"),
        (_json(lambda it: it.update(block_denoiser=None)), "role"),
        (_json(lambda it: it["block_denoiser"]["arguments"].update(width=99)), "weights that fit"),
        (_json(lambda it: it["block_denoiser"]["arguments"].update(width="wide")), "arguments that fit"),
        (_json(lambda it: it["block_denoiser"]["arguments"].update(lr=1)), "arguments that fit"),
        (_tensors(lambda it: it.pop("quotients.pairs")), "pairs"),
        (_tensors(lambda it: it.update({"quotients.num_nodes": it["quotients.num_nodes"][:-1].clone()})), "got"),
        (_tensors(lambda it: it.update({"quotients.inner_degree": it["quotients.inner_degree"][:5].clone()})), "got"),
        (_tensors(lambda it: it["weights.inner_density"].fill_(float("nan"))), "finite"),
    ],
)
def test_a_damaged_or_foreign_model_is_refused(
    model: Path, tmp_path: Path, capsys: Capture, damage: Callable[[Path], object], fragment: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    damage(copy)
    _refused(capsys, ["sample", "--checkpoint", copy, "--out", tmp_path / "out"], fragment)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["nope", "", "model.json", "checkpoints/last.ckpt", "checkpoints"])
def test_what_is_no_model_folder_is_refused(model: Path, tmp_path: Path, capsys: Capture, name: str) -> None:
    checkpoint = model / name if name and name != "nope" else name
    _refused(capsys, ["sample", "--checkpoint", checkpoint, "--out", tmp_path / "out"], "expected a")


def test_a_checkpoint_of_another_model_is_not_continued(
    place: Path, model: Path, tmp_path: Path, capsys: Capture
) -> None:
    whole = model / "checkpoints" / "last.ckpt"
    (tmp_path / "cut.ckpt").write_bytes(whole.read_bytes()[:1000])
    fit = ["fit", *TINY, f"{DATA}train", place / "path.npz", "--run_dir", tmp_path / "run", "--ckpt_path"]
    _refused(capsys, [*fit, tmp_path / "nope.ckpt"], "nope.ckpt")
    _refused(capsys, [*fit, tmp_path / "cut.ckpt"], "cut.ckpt")
    assert not (tmp_path / "run").exists()
    _refused(capsys, [*fit, whole, f"{MODEL}block_denoiser.init_args.width", "16"], "same model")


# Wrong configurations


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ([f"{DATA}batch_size", "0"], "batch_size"),
        ([f"{DATA}batch_size", "many"], "batch_size"),
        ([f"{DATA}steps_per_epoch", "0"], "steps_per_epoch"),
        ([f"{DATA}num_partitions", "0"], "num_partitions"),
        ([f"{DATA}val_batches", "0"], "val_batches"),
        ([f"{DATA}pair_batch_size", "-1"], "pair_batch_size"),
        ([f"{DATA}seed", "-1"], "seed"),
        ([f"{DATA}self_loops", "maybe"], "self_loops"),
        ([f"{DATA}features", "perhaps"], "features"),
        ([f"{DATA}features", "true"], "node features"),
        ([f"{DATA}nonsense", "1"], "nonsense"),
        ([f"{DATA}partitioner.init_args.block_size", "0"], "block_size"),
        ([f"{DATA}partitioner", "sbgd.partition.Nope"], "Nope"),
        ([f"{DATA}train", "sbm?num_graphs=0"], "num_graphs"),
        ([f"{DATA}train", "planar:tra"], "train, val, test"),
        ([f"{DATA}train", "planr"], "planar"),
        ([f"{DATA}train", ""], "NAME"),
        ([f"{DATA}val", "nope.csv"], "nope.csv"),
        ([f"{MODEL}learning_rate", "-1"], "learning_rate"),
        ([f"{MODEL}learning_rate", "fast"], "learning_rate"),
        ([f"{MODEL}weight_decay", "-1"], "weight_decay"),
        ([f"{MODEL}warmup_steps", "-1"], "warmup_steps"),
        ([f"{MODEL}seed", "-1"], "seed"),
        ([f"{MODEL}nonsense", "1"], "nonsense"),
        ([f"{MODEL}factorisation", "odd"], "factorisation"),
        (["--trainer.max_steps", "0"], "max_steps"),
        (["--trainer.max_steps", "abc"], "max_steps"),
        (["--trainer.devices", "0"], "devices"),
        (["--trainer.accelerator", "abacus"], "abacus"),
        (["--trainer.val_check_interval", "0"], "val_check_interval"),
        (["--seed_everything", "-1"], "seed_everything"),
        (["--ema_decay", "2"], "ema_decay"),
        (["--wandb", "maybe"], "wandb"),
        (["--nonsense", "1"], "nonsense"),
        (["--config", "nope.yaml"], "nope.yaml"),
        (["--run_dir", ""], "--run_dir"),
    ],
)
def test_a_wrong_configuration_is_refused_and_leaves_nothing(
    place: Path, tmp_path: Path, capsys: Capture, arguments: list[str], fragment: str
) -> None:
    fit = ["fit", *TINY, f"{DATA}train", place / "path.npz", "--run_dir", tmp_path / "run"]
    _refused(capsys, [*fit, *arguments], fragment)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"a: [1", b"nonsense: 1", b"data: 5", b"", b"- 1", b"\xff\xfe\x00", b"trainer: {max_step: 3}"]
)
def test_a_wrong_yaml_is_refused(tmp_path: Path, capsys: Capture, content: bytes) -> None:
    (tmp_path / "c.yaml").write_bytes(content)
    _refused(capsys, ["fit", "--config", tmp_path / "c.yaml", "--run_dir", tmp_path / "run"])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["fit"],
        ["sample"],
        ["evaluate", "cora"],
        ["data"],
        ["data", "cora", "--format", "npz"],
        ["data", "cora", "--convert", "a.xyz"],
        ["data", "cora", "--weight-threshold", "nan"],
        ["data", "cora", "--self-loops", "keep"],
        ["partition", "cora", "--block-size", "0"],
        ["partition", "cora", "--max-block-size", "0"],
        ["partition", "cora", "--seed=-1"],
        ["partition", "cora", "--partitioner", "louvain", "--block-size", "0"],
        ["evaluate", "cora", "--reference", "cora", "--seed=-1"],
        ["evaluate", "cora", "--reference", "cora", "--baselines", "gan"],
    ],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str]) -> None:
    _refused(capsys, arguments)


# Outputs that cannot be written


@pytest.mark.parametrize("target", ["file", "file/below", "missing/file", "folder"])
def test_an_impossible_output_is_refused_first(place: Path, tmp_path: Path, capsys: Capture, target: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    data, out = place / "path.npz", tmp_path / target
    if target == "file":
        _refused(capsys, ["fit", *TINY, f"{DATA}train", data, "--run_dir", out], str(out))
    else:
        for command in (["partition", data, "--json", out], ["partition", data, "--out", out]):
            _refused(capsys, command, str(out))
        _refused(capsys, ["evaluate", data, "--reference", data, "--json", out], str(out))
        _refused(capsys, ["data", data, "--json", out], str(out))
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("target", ["file", "file/below"])
def test_samples_are_not_written_over_a_file(model: Path, tmp_path: Path, capsys: Capture, target: str) -> None:
    (tmp_path / "file").write_text("mine")
    _refused(capsys, ["sample", "--checkpoint", model, "--out", tmp_path / target], "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_graphs_of_the_user_are_neither_deleted_nor_replaced(model: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "graphs.npz").write_text("mine")
    for more in ([], ["--overwrite"]):
        _refused(capsys, ["sample", "--checkpoint", model, "--out", tmp_path, *more], "graphs.npz")
    assert [entry.name for entry in tmp_path.iterdir()] == ["graphs.npz"]
    assert (tmp_path / "graphs.npz").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_refused(place: Path, model: Path, tmp_path: Path, capsys: Capture) -> None:
    tmp_path.chmod(0o500)
    _refused(capsys, ["sample", "--checkpoint", model, "--out", tmp_path / "out"], "read-only")
    _refused(capsys, ["data", place / "path.npz", "--json", tmp_path / "x.json"], "read-only")
    _refused(capsys, ["fit", *TINY, f"{DATA}train", place / "path.npz", "--run_dir", tmp_path / "run"], "read-only")


def test_a_folder_that_says_no_is_refused(
    place: Path, model: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = os.access
    monkeypatch.setattr("sbgd.commands.outputs.os.access", lambda path, mode: mode != os.W_OK and allowed(path, mode))
    _refused(capsys, ["sample", "--checkpoint", model, "--out", tmp_path / "out"], "read-only")
    _refused(capsys, ["data", place / "path.npz", "--json", tmp_path / "x.json"], "read-only")
    _refused(capsys, ["fit", *TINY, f"{DATA}train", place / "path.npz", "--run_dir", tmp_path / "run"], "read-only")


def test_a_link_is_written_through(place: Path, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    assert main(["data", str(place / "path.npz"), "--json", str(tmp_path / "link.json")]) == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["graphs"] == 1


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs Linux's full device")
def test_a_full_disk_is_one_line(place: Path, capsys: Capture) -> None:
    _refused(capsys, ["data", place / "path.npz", "--json", "/dev/full"], "No space left")
    assert Path("/dev/full").is_char_device()


# The process itself


def _command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "sbgd.cli", *map(str, arguments)]


def test_a_refused_training_says_nothing_else(tmp_path: Path) -> None:
    fit = _command("fit", *TINY, f"{DATA}train", tmp_path / "nope.csv", "--run_dir", tmp_path / "run")
    done = subprocess.run(fit, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("sbgd: error:")


def test_an_interrupted_training_ends_with_130_and_one_line(place: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    fit = _command("fit", *TINY, f"{DATA}train", place / "one edge.npz", "--run_dir", run)
    process = subprocess.Popen(
        [*fit, "--trainer.max_steps", "1000000", f"{DATA}steps_per_epoch", "3"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    for _ in range(600):
        if (run / "checkpoints" / "last.ckpt").exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "sbgd: interrupted"
    assert "Traceback" not in errors


def test_an_interrupted_command_ends_with_130(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sbgd.data.sources.load_dataset", interrupt)
    assert main(["data", "cora"]) == 130
    assert capsys.readouterr().err == "sbgd: interrupted\n"


@pytest.mark.parametrize("verb", ["partition", "evaluate"])
def test_a_reader_that_leaves_is_no_fault(place: Path, verb: str) -> None:
    arguments = [verb, place / "one edge.npz"]
    if verb == "evaluate":
        arguments += ["--reference", place / "one edge.npz", "--baselines", "none"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(_command(*arguments), stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(writer)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0
