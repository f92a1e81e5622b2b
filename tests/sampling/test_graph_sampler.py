"""Whole graphs from a model: sizes, reproducibility, solvers, paradigms, refusals, and the way through a folder."""

import json
import re

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.cli import main
from sbgd.data.graph_schema import GraphSchema
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import solvers
from sbgd.diffusion.sde import VE, SubVP
from sbgd.errors import InputError
from sbgd.formats import load, save
from sbgd.graph import Graph
from sbgd.models import load_any_model, load_model, save_model
from sbgd.models.graph_diffusion import GraphDiffusion
from sbgd.models.trained_graphs import TrainedGraphModel
from sbgd.networks import PPGN, GraphAttention, MessagePassing
from sbgd.sampling import GraphSolverOptions, generate_graphs

SOLVERS = [
    solvers.Ancestral(),
    solvers.PosteriorSampling(),
    solvers.EulerMaruyama(),
    solvers.ReverseDiffusion(),
    solvers.PredictorCorrector(solvers.Ancestral()),
    solvers.S4(snr=0.1),
    solvers.Heun(),
    solvers.AdaptiveHeun(),
]
SIZES = np.array([3, 9, 4, 12, 9])


def trained(paradigm="joint", num_features=2, classes=(), types=(1,), is_binary=False, network=PPGN, **sdes):
    torch.manual_seed(0)
    width = {"width": 8, "num_layers": 1, "num_edge_types": len(types)}
    diffusion = GraphDiffusion(
        network(num_features + len(classes), **width),
        paradigm=paradigm,
        num_classes=len(classes),
        is_binary=is_binary,
        **sdes,
    )
    for parameter in diffusion.parameters():
        parameter.data += 0.05 * torch.randn(parameter.shape)
    scaler = FeatureScaler(np.arange(num_features, dtype=float), np.full(num_features, 2.0))
    if is_binary:
        scaler = FeatureScaler(np.zeros(num_features), np.ones(num_features))
    schema = GraphSchema(scaler, is_binary, "labels" if classes else "none", np.array(classes, int), np.array(types))
    return TrainedGraphModel(diffusion, schema, np.array([3, 9, 12]), np.array([1.0, 2.0, 3.0]))


def options(**changes):
    return GraphSolverOptions(**{"num_steps": 4, **changes})


def same(one, other):
    return all(
        a == b and (a.features is None or np.array_equal(a.features, b.features))
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_graphs_have_the_sizes_and_do_not_depend_on_the_batch(solver):
    together = generate_graphs(trained(), SIZES, seed=5, options=options(solver=solver, batch_size=64))
    alone = generate_graphs(trained(), SIZES, seed=5, options=options(solver=solver, batch_size=1))
    assert [graph.num_nodes for graph in together] == SIZES.tolist()
    assert all(graph.num_features == 2 and np.isfinite(graph.features).all() for graph in together)
    assert same(together, alone)
    assert not same(together, generate_graphs(trained(), SIZES, seed=6, options=options(solver=solver)))


@pytest.mark.parametrize("network", [PPGN, GraphAttention])
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_categories_types_and_binary_features_take_their_values(network, solver):
    model = trained(classes=(6, 8, 9), types=(1, 2, 3), is_binary=True, network=network)
    graphs = generate_graphs(model, SIZES, seed=1, options=options(solver=solver))
    assert {label for graph in graphs for label in graph.labels.tolist()} <= {6, 8, 9}
    assert {kind for graph in graphs for kind in graph.edge_types.tolist()} <= {1, 2, 3}
    assert all(np.isin(graph.features, (0, 1)).all() for graph in graphs)
    assert all(len(graph.edge_types) == graph.num_edges for graph in graphs)
    assert graphs == generate_graphs(model, SIZES, seed=1, options=options(solver=solver, batch_size=1))


def test_messages_along_edges_know_no_largest_size():
    torch.manual_seed(0)
    diffusion = GraphDiffusion(MessagePassing(2, width=8), paradigm="features")
    scaler = FeatureScaler(np.zeros(2), np.ones(2))
    model = TrainedGraphModel(
        diffusion, GraphSchema(scaler, False, "none", np.zeros(0, int), np.ones(1, int)), np.array([3]), np.array([1.0])
    )
    path = Graph.from_edges([(i, i + 1) for i in range(3000)], 3001, node_ids=np.arange(3001) + 5)
    (dressed,) = generate_graphs(model, np.array([3001]), given=[path], options=options())
    assert dressed.features.shape == (3001, 2)
    assert dressed.replace(features=None) == path


def test_features_given_a_structure_keep_it_and_structure_given_features_keeps_them():
    given = generate_graphs(trained(), SIZES, options=options())
    dressed = generate_graphs(trained("features"), SIZES, given=given, options=options())
    assert all(np.array_equal(a.edges, b.edges) for a, b in zip(given, dressed, strict=True))
    assert not same(given, dressed)
    wired = generate_graphs(trained("structure"), SIZES, given=given, options=options())
    assert all(np.allclose(a.features, b.features, atol=1e-5) for a, b in zip(given, wired, strict=True))


@pytest.mark.parametrize(
    ("paradigm", "given", "message"),
    [
        ("joint", [Graph.from_edges([], 3)], "expected nothing given for a model of the paradigm joint"),
        ("features", None, "expected structures for a model of the paradigm features, got none"),
        ("structure", None, "expected features for a model of the paradigm structure, got none"),
        ("structure", [Graph.from_edges([], 3)], "expected 2 features on every graph, got 0"),
        ("features", [Graph.from_edges([], 4)], "expected given graphs of the requested sizes"),
    ],
)
def test_what_is_missing_or_unfit_is_said(paradigm, given, message):
    with pytest.raises(InputError, match=message):
        generate_graphs(trained(paradigm), np.array([3]), given=given, options=options())


def test_sizes_above_training_are_refused():
    with pytest.raises(InputError, match="expected at most 12 nodes, the largest training graph"):
        generate_graphs(trained(), np.array([13]), options=options())


@pytest.mark.parametrize(
    "model",
    [
        trained(),
        trained("features", feature_sde=VE(0.02, 5.0)),
        trained("structure", num_features=0, edge_sde=SubVP()),
        trained(classes=(6, 7), types=(1, 2, 3), is_binary=True, network=GraphAttention),
    ],
    ids=["joint", "features", "structure", "typed"],
)
def test_a_folder_holds_the_same_model(model, tmp_path):
    save_model(tmp_path, model)
    again = load_any_model(tmp_path)
    assert again.description() == model.description()
    assert all(torch.equal(again.tensors()[name], value) for name, value in model.tensors().items())
    with pytest.raises(InputError, match=r"expected a block model .* got one of whole graphs"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"paradigm": "both"}, "expected paradigm joint, structure or features, got 'both'"),
        ({"edge_sde": {"name": "vq"}}, "expected an SDE out of vp, subvp, ve"),
        ({"edge_sde": {"name": "vp", "beta": 1}}, "expected an SDE out of vp, subvp, ve"),
        (
            {"denoiser": {"name": "edge_scorer", "arguments": {"degree_lists": False}}},
            "expected a block or feature denoiser",
        ),
        ({"denoiser": None}, "expected"),
        (
            {"denoiser": {"name": "ppgn", "arguments": {"num_features": 3}}},
            "expected a network of the width of its data",
        ),
    ],
)
def test_a_damaged_description_is_one_line(change, message, tmp_path):
    save_model(tmp_path, trained())
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match=message):
        load_any_model(tmp_path)


def test_the_command_samples_and_dresses_structures(tmp_path, capsys):
    save_model(tmp_path / "model", trained("features"))
    save([Graph.from_edges([(0, 1), (1, 2)], 5), Graph.from_edges([(0, 3)], 9)], tmp_path / "given.npz")
    words = ["sample", "--checkpoint", str(tmp_path / "model"), "--steps", "3", "--out", str(tmp_path / "out")]
    assert main([*words, "--given", str(tmp_path / "given.npz"), "--solver", "heun"]) == 0
    graphs = load(tmp_path / "out" / "graphs.npz").graphs
    assert [graph.num_edges for graph in graphs] == [2, 1]
    assert all(graph.num_features == 2 for graph in graphs)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["request"]["steps"] == 3
    assert main([*words, "--overwrite"]) == 2
    assert "name graphs with --given" in capsys.readouterr().err


def test_a_diverging_model_is_told_in_one_line(tmp_path, capsys):
    model = trained()
    with torch.no_grad():
        model.diffusion.denoiser.node_out.bias.fill_(3e38)
    save_model(tmp_path / "model", model)
    words = ["sample", "--checkpoint", str(tmp_path / "model"), "--out", str(tmp_path / "out"), "--num-graphs", "2"]
    code = main(words)
    printed = capsys.readouterr().err
    assert code == 2
    assert re.search(r"got NaN or infinity in (the score of )?(features|edges) at t = 0\.\d+; take more steps", printed)


def binary(share):
    model = trained("features", num_features=3, is_binary=True, network=MessagePassing)
    for parameter in model.diffusion.denoiser.parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    model.diffusion.fields["features"].share.copy_(torch.tensor(share))
    return model


def test_calibrated_features_have_their_shares_whatever_the_network_says():
    share = [0.02, 0.3, 0.7]
    graph = Graph.from_networkx(nx.random_regular_graph(4, 1500, seed=0))
    model = binary(share)
    sizes = np.array([1500])

    def means(calibrate):
        options = GraphSolverOptions(num_steps=20, solver=solvers.PosteriorSampling(), calibrate=calibrate)
        return generate_graphs(model, sizes, given=[graph], options=options)[0].features.mean(axis=0)

    assert means(True) == pytest.approx(share, abs=0.02)
    assert np.abs(means(False) - share).max() > 0.05


def test_calibration_is_the_same_whatever_the_batch():
    graphs = [Graph.from_networkx(nx.gnp_random_graph(9, 0.3, seed=i)) for i in range(3)]
    sizes = np.array([9, 9, 9])
    together, alone = (
        generate_graphs(
            binary([0.2, 0.3, 0.7]),
            sizes,
            given=graphs,
            options=GraphSolverOptions(num_steps=4, batch_size=batch_size, calibrate=True),
        )
        for batch_size in (16, 1)
    )
    assert together == alone


def test_calibration_without_binary_features_is_refused():
    with pytest.raises(InputError, match="expected a model that generates binary features for calibration"):
        generate_graphs(trained(), SIZES, options=GraphSolverOptions(num_steps=2, calibrate=True))
