"""Sampling through the command line, from a model that has not been trained."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import fsspec
import networkx as nx
import numpy as np
import pytest
import torch

import sbgd
from sbgd.cli import main
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import CategoricalProcess, CosineSchedule, GaussianProcess
from sbgd.formats import load
from sbgd.graph import Graph
from sbgd.models import BlockDiffusion, TrainedModel, load_model, save_model
from sbgd.networks import PPGN, EdgeScorer, PairDenoiser
from sbgd.partition import BlockGraph, MetisPartitioner
from sbgd.sampling import SolverOptions, generate, requested_sizes
from sbgd.sampling.job import SampleJob

FORMATS = ["npz", "edgelist", "graphml", "parquet"]
TRAINING = [30, 45]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    graphs = [Graph.from_networkx(nx.barabasi_albert_graph(size, 2, seed=size)) for size in TRAINING]
    partitioner = MetisPartitioner(block_size=8, merge_below=4)
    diffusion = BlockDiffusion(
        PPGN(2, 8, 1),
        EdgeScorer(False, 8),
        None,
        process=CategoricalProcess(CosineSchedule()),
        feature_process=GaussianProcess(CosineSchedule()),
    )
    quotients = [BlockGraph.split(graph, partitioner(graph)).quotient() for graph in graphs]
    folder = tmp_path_factory.mktemp("model")
    save_model(folder, TrainedModel(diffusion, quotients, FeatureScaler(np.array([1.0, 2.0]), np.array([3.0, 4.0]))))
    return folder


def _sample(model: Path, out: Path, *arguments: str) -> int:
    return main(["sample", "--checkpoint", str(model), "--out", str(out), "--steps", "2", *arguments])


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _expected(model: Path, spec: str, count: int, seed: int) -> list[Graph]:
    sizes = requested_sizes(spec, np.array(TRAINING), count, seed)
    return generate(load_model(model), sizes, seed=seed, options=SolverOptions(2)).graphs


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_reads_back_as_what_was_generated(model: Path, tmp_path: Path, name: str) -> None:
    assert _sample(model, tmp_path, "--num-nodes", "20:60", "--num-graphs", "3", "--seed", "4", "--format", name) == 0
    for found, expected in zip(load(tmp_path).graphs, _expected(model, "20:60", 3, 4), strict=True):
        assert found.num_nodes == expected.num_nodes
        assert np.array_equal(found.edges, expected.edges)
        if name in ("npz", "graphml", "parquet"):
            assert np.allclose(found.features, expected.features, rtol=1e-12)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_seed_gives_the_same_bytes_whatever_the_batch_size(model: Path, tmp_path: Path, name: str) -> None:
    for out, batch_size in (("a", "1"), ("b", "64")):
        arguments = ["--num-graphs", "3", "--seed", "9", "--format", name, "--batch-size", batch_size]
        assert _sample(model, tmp_path / out, *arguments) == 0
    assert _contents(tmp_path / "a") == _contents(tmp_path / "b")


def test_another_seed_gives_other_graphs(model: Path, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        assert _sample(model, tmp_path / seed, "--num-nodes", "45", "--seed", seed) == 0
    assert (tmp_path / "1" / "graphs.npz").read_bytes() != (tmp_path / "2" / "graphs.npz").read_bytes()


def test_the_manifest_describes_what_lies_beside_it(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _sample(model, tmp_path, "--num-nodes", "x2", "--num-graphs", "2", "--seed", "3") == 0
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    graphs = load(tmp_path / "graphs.npz").graphs
    assert manifest["schema"] == 1
    assert manifest["version"] == sbgd.__version__
    assert manifest["seed"] == 3
    assert manifest["request"] == {"num_nodes": "x2", "num_graphs": 2, "steps": 2}
    assert manifest["num_nodes"] == [graph.num_nodes for graph in graphs]
    assert sorted(manifest["num_nodes"]) == [60, 90]
    assert manifest["num_edges"] == [graph.num_edges for graph in graphs]
    assert [sum(sizes) for sizes in manifest["block_sizes"]] == manifest["num_nodes"]
    weights = (model / "model.safetensors").read_bytes()
    assert manifest["checkpoint"] == {"name": str(model), "sha256": hashlib.sha256(weights).hexdigest()}
    content = (tmp_path / "graphs.npz").read_bytes()
    assert manifest["files"] == {"graphs.npz": hashlib.sha256(content).hexdigest()}
    edges = sum(manifest["num_edges"])
    assert capsys.readouterr().out == f"2 graph(s), 150 nodes, {edges} edges in {tmp_path}\n"


def test_files_of_single_graphs_sort_in_order_of_generation(model: Path, tmp_path: Path) -> None:
    sizes = ["--num-nodes", "5:60", "--num-graphs", "11"]
    assert _sample(model, tmp_path, *sizes, "--format", "edgelist") == 0
    files = sorted(tmp_path.glob("graph_*"))
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [load(path).graphs[0].num_nodes for path in files] == manifest["num_nodes"]
    assert sorted(manifest["files"]) == [path.name for path in files]


@pytest.mark.parametrize("size", ["1", "5", "31", "450"])
def test_any_size_is_met(model: Path, tmp_path: Path, size: str) -> None:
    assert _sample(model, tmp_path, "--num-nodes", size) == 0
    assert load(tmp_path / "graphs.npz").graphs[0].num_nodes == int(size)


def test_training_sizes_are_the_default(model: Path, tmp_path: Path) -> None:
    assert _sample(model, tmp_path, "--num-graphs", "4") == 0
    assert sorted(graph.num_nodes for graph in load(tmp_path / "graphs.npz").graphs) == [30, 30, 45, 45]


def test_samples_are_not_overwritten_unless_asked(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _sample(model, tmp_path, "--format", "edgelist", "--num-graphs", "3") == 0
    before = _contents(tmp_path)
    assert _sample(model, tmp_path, "--seed", "1") == 2
    assert "got samples in" in capsys.readouterr().err
    assert _contents(tmp_path) == before
    assert _sample(model, tmp_path, "--seed", "1", "--overwrite") == 0
    assert sorted(_contents(tmp_path)) == ["graphs.npz", "manifest.json"]


@pytest.mark.parametrize("arguments", [[], ["--overwrite"]])
def test_graph_files_of_the_user_stay(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    mine = tmp_path / "graph_of_mine.txt"
    mine.write_text("0 1\n")
    assert _sample(model, tmp_path, *arguments) == 2
    assert f"graph files of another origin, got {mine}" in capsys.readouterr().err
    assert _contents(tmp_path) == {mine.name: b"0 1\n"}


def test_a_manifest_never_makes_overwrite_delete_outside_its_folder(model: Path, tmp_path: Path) -> None:
    mine, out = tmp_path / "mine.txt", tmp_path / "out"
    mine.write_text("0 1\n")
    out.mkdir()
    (out / "manifest.json").write_text(json.dumps({"files": {"../mine.txt": ""}}))
    assert _sample(model, out, "--overwrite") == 0
    assert mine.read_text() == "0 1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps", "0"], "--steps of at least 1, got 0"),
        (["--steps", "two"], "argument --steps: invalid int value"),
        (["--batch-size", "0"], "--batch-size of at least 1, got 0"),
        (["--num-graphs", "0"], "--num-graphs of at least 1, got 0"),
        (["--seed", "-1"], "--seed in 0 .. 2^63 - 1, got -1"),
        (["--seed", str(2**63)], "--seed in 0 .. 2^63 - 1"),
        (["--device", "tpu"], "--device auto, cpu or cuda, got tpu"),
        (["--device", "cpu:x"], "--device"),
        (["--format", "gml"], "argument --format: invalid choice: 'gml'"),
        (["--num-nodes", "0"], "at least 1 node, got --num-nodes 0"),
        (["--num-nodes", "9:3"], "lo at most hi, got 9:3"),
        (["--num-nodes", "many"], "got many"),
        (["--nope"], "unrecognized arguments: --nope"),
        (["--shard-edges", "5"], "expected --shard-edges with --format parquet"),
        (["--work-dir", "work"], "expected --work-dir with --format parquet"),
        (["--format", "parquet", "--shard-edges", "0"], "--shard-edges of at least 1, got 0"),
        (["--format", "parquet", "--solver", "heun"], "no --solver for a model of blocks"),
        (["--format", "parquet", "--num-nodes", "0"], "at least 1 node, got --num-nodes 0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_argument_is_one_line_and_writes_nothing(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert _sample(model, tmp_path / "out", *arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("sbgd: error: ")
    assert shown.err.count("\n") == 1
    assert message in shown.err
    assert not (tmp_path / "out").exists()


def test_shards_and_their_manifest(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--num-nodes", "300", "--seed", "3", "--format", "parquet", "--shard-edges", "200"]
    assert _sample(model, tmp_path, *arguments) == 0
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert capsys.readouterr().out == f"1 graph(s), 300 nodes, {manifest['num_edges'][0]} edges in {tmp_path}\n"
    assert manifest["request"] == {"num_nodes": "300", "num_graphs": 1, "steps": 2, "shard_edges": 200}
    assert (manifest["schema"], manifest["seed"], manifest["num_nodes"]) == (1, 3, [300])
    assert len(manifest["files"]) > 4
    assert sorted(_contents(tmp_path)) == sorted([*manifest["files"], "manifest.json"])
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    assert sum(rows for name, rows in manifest["rows"].items() if "edges" in name) == manifest["num_edges"][0]
    for key, name in (("sha256", "model.safetensors"), ("description", "model.json")):
        assert manifest["checkpoint"][key] == hashlib.sha256((model / name).read_bytes()).hexdigest()
    sample = sbgd.load(tmp_path)
    sample.verify()
    before = _contents(tmp_path)
    assert main(["sample", "--checkpoint", str(model), "--out", f"file://{tmp_path}", "--steps", "2", *arguments]) == 0
    assert _contents(tmp_path) == before
    assert _sample(model, tmp_path, *arguments, "--steps", "3") == 2
    assert "expected a folder for a sample of --steps 3, got a finished one of --steps 2" in capsys.readouterr().err


def test_models_that_need_the_whole_graph_write_one_file(model: Path, tmp_path: Path) -> None:
    trained = load_model(model)
    diffusion = BlockDiffusion(
        PPGN(2, 8, 1),
        None,
        PairDenoiser(width=8, pair_width=8, num_layers=1),
        process=CategoricalProcess(CosineSchedule()),
        feature_process=GaussianProcess(CosineSchedule()),
        factorisation="independent",
    )
    save_model(tmp_path / "model", replace(trained, diffusion=diffusion))
    out = tmp_path / "out"
    assert _sample(tmp_path / "model", out, "--format", "parquet", "--num-nodes", "20") == 0
    assert sorted(_contents(out)) == ["graphs.nodes.parquet", "graphs.parquet", "manifest.json"]
    assert load(out).graphs[0].num_nodes == 20
    assert _sample(tmp_path / "model", tmp_path / "no", "--format", "parquet", "--shard-edges", "9") == 2
    assert not (tmp_path / "no").exists()


def test_other_formats_stay_away_from_unfinished_shards(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(self: SampleJob, run: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SampleJob, "generate", interrupt)
        assert _sample(model, tmp_path, "--format", "parquet") == 130
    capsys.readouterr()
    assert _sample(model, tmp_path, "--overwrite") == 2
    assert "got one in" in capsys.readouterr().err
    assert main(["evaluate", str(tmp_path), "--reference", "cora"]) == 2
    assert "got an interrupted one" in capsys.readouterr().err
    assert _sample(model, tmp_path, "--format", "parquet") == 0
    assert _sample(model, tmp_path, "--overwrite") == 0
    assert sorted(_contents(tmp_path)) == ["graphs.npz", "manifest.json"]
    assert _sample(model, tmp_path, "--format", "parquet") == 2
    assert "expected an empty folder, got samples in" in capsys.readouterr().err
    assert _sample(model, tmp_path, "--format", "parquet", "--overwrite") == 0
    assert not list(tmp_path.glob("graphs*"))


def test_a_store_needs_a_work_folder_and_gets_the_same_bytes(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"memory://{tmp_path.name}/cli"
    assert _sample(model, tmp_path / "local", "--format", "parquet") == 0
    command = ["sample", "--checkpoint", str(model), "--out", address, "--steps", "2", "--format", "parquet"]
    assert main(command) == 2
    assert "expected --work-dir, a folder for unfinished work, for the store" in capsys.readouterr().err
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.txt").write_text("mine")
    assert main([*command, "--work-dir", str(tmp_path / "work")]) == 0
    store = fsspec.filesystem("memory")
    for name, data in _contents(tmp_path / "local").items():
        assert store.cat_file(f"/{tmp_path.name}/cli/{name}") == data
    assert _contents(tmp_path / "work") == {"mine.txt": b"mine"}
    assert main([*command[:-2], "--out", address]) == 2
    assert "expected a store as --out with --format parquet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("checkpoint", "message"),
    [
        ("last.ckpt", "last.ckpt; give the folder that holds model.json"),
        ("empty", "got no model.json in empty; has its training finished?"),
        ("missing", "got 'missing'"),
        ("damaged", "got a damaged one"),
    ],
)
def test_a_wrong_checkpoint_is_one_line_and_writes_nothing(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    checkpoint: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("last.ckpt").write_bytes(b"PK")
    Path("empty").mkdir()
    Path("damaged").mkdir()
    Path("damaged/model.json").write_text((model / "model.json").read_text())
    Path("damaged/model.safetensors").write_bytes((model / "model.safetensors").read_bytes()[:1000])
    assert _sample(Path(checkpoint), Path("out")) == 2
    error = capsys.readouterr().err
    assert error.startswith("sbgd: error: ")
    assert error.count("\n") == 1
    assert message in error
    assert not Path("out").exists()


def test_a_file_in_place_of_the_folder_is_refused(model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    assert _sample(model, tmp_path / "out") == 2


@pytest.mark.parametrize("missing", ["--checkpoint", "--out"])
def test_what_is_required_is_named(missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = {"--checkpoint": "model", "--out": "out"}
    del arguments[missing]
    assert main(["sample", *(text for pair in arguments.items() for text in pair)]) == 2
    assert missing in capsys.readouterr().err
