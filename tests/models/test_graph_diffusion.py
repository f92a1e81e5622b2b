"""Score-based models of whole graphs: exact priors, Tweedie's formula, symmetry, and the three paradigms."""

import networkx as nx
import numpy as np
import pytest
import torch

from sbgd.data.graph_schema import GraphSchema
from sbgd.data.scaler import FeatureScaler
from sbgd.diffusion import GeneratorNoise
from sbgd.diffusion.sde import VE, VP, SubVP
from sbgd.errors import InputError
from sbgd.graph import Graph
from sbgd.models.graph_diffusion import EDGES, FEATURES, GraphDiffusion
from sbgd.networks import PPGN

SDES = [VP(), SubVP(), VE(0.01, 10.0)]
SCHEMA = GraphSchema(FeatureScaler(np.zeros(2), np.ones(2)), False, "none", np.zeros(0, int), np.ones(1, int))


def noise(seed=0):
    return GeneratorNoise(torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def batch():
    generator = np.random.default_rng(0)
    graphs = [
        Graph.from_networkx(nx.gnp_random_graph(n, 0.4, seed=n)).replace(features=generator.standard_normal((n, 2)))
        for n in (5, 8, 11)
    ]
    return SCHEMA.batch(graphs, 12)


def model(num_features=2, trained=False, **arguments):
    torch.manual_seed(0)
    built = GraphDiffusion(PPGN(num_features, width=8, num_layers=2), **arguments)
    built.set_shares(torch.tensor([0.6, 0.4]), torch.zeros(num_features), torch.zeros(0))
    if trained:
        for parameter in built.parameters():
            parameter.data += 0.1 * torch.randn(parameter.shape)
    return built.eval()


@pytest.mark.parametrize(
    ("paradigm", "fields"),
    [("joint", {EDGES, FEATURES}), ("structure", {EDGES}), ("features", {FEATURES})],
)
def test_a_paradigm_diffuses_its_fields(paradigm, fields, batch):
    built = model(paradigm=paradigm)
    assert set(built.sdes) == fields
    assert set(built.loss(batch, noise())) == fields
    t = torch.full((3,), 0.5)
    assert set(built.expectation(batch, built.clean_fields(batch), t)) == fields


def test_without_features_only_edges_are_diffused():
    assert set(model(num_features=0).sdes) == {EDGES}


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_an_untrained_network_expects_what_independent_fields_would(sde, batch):
    built = model(edge_sde=sde, feature_sde=sde)
    t = torch.tensor([0.1, 0.5, 0.9])
    x = built.clean_fields(batch)
    draw = {name: project(noise().normal(tuple(x[name].shape))) for name, project in built.projections(batch).items()}
    alpha, sigma = (part.reshape(3, 1, 1) for part in (sde.alpha(t), sde.sigma(t)))
    x = {name: alpha * x[name] + sigma * draw[name] for name in x}
    with torch.no_grad():
        clean = built.expectation(batch, x, t)
    # P(edge | x) by Bayes' rule from the two normal densities
    likelihood = [torch.exp(-((x[EDGES] - sign * alpha) ** 2) / (2 * sigma**2)).double() for sign in (1, -1)]
    edge = 0.4 * likelihood[0] / (0.4 * likelihood[0] + 0.6 * likelihood[1])
    certain = ~torch.isfinite(edge)
    expected = torch.where(certain, torch.sign(x[EDGES]).double(), 2 * edge - 1) * batch.pairs
    assert torch.allclose(clean[EDGES].double(), expected, atol=1e-4)
    assert torch.allclose(clean[FEATURES], alpha * x[FEATURES] / (alpha**2 + sigma**2), atol=1e-5)


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_the_loss_of_an_untrained_network_on_features_is_one(sde):
    generator = np.random.default_rng(1)
    graph = Graph.from_edges([(0, 1)], 24).replace(features=generator.standard_normal((24, 40)))
    schema = GraphSchema(FeatureScaler(np.zeros(40), np.ones(40)), False, "none", np.zeros(0, int), np.ones(1, int))
    losses = model(40, feature_sde=sde, edge_sde=sde).loss(schema.batch([graph] * 32, 24), noise(3))
    # 30720 squares of standard normal residuals, though of one draw of the data
    assert losses[FEATURES].mean().item() == pytest.approx(1, abs=0.06)


def test_the_score_is_tweedies(batch):
    built = model(trained=True)
    system = built.system(batch, noise(1))
    t = torch.full((3,), 0.6)
    x = system.prior(built.clean_fields(batch))
    with torch.no_grad():
        denoised, expected = system.denoised(x, t), built.expectation(batch, x, t)
    for name in expected:
        assert denoised[name] == pytest.approx(expected[name], abs=1e-4)


def test_outputs_are_equivariant_symmetric_and_zero_at_padding(batch):
    built = model(trained=True).double()
    double = batch.replace(**{name: getattr(batch, name).double() for name in ("edges", "mask", "features")})
    t = torch.full((3,), 0.4, dtype=torch.float64)
    x = built.clean_fields(double)
    order = torch.randperm(5, generator=torch.Generator().manual_seed(2))
    full = torch.cat([order, torch.arange(5, 12)])
    row = double.replace(**{name: getattr(double, name)[:1] for name in ("edges", "mask", "features", "categories")})
    moved = row.replace(edges=row.edges[:, full][:, :, full], features=row.features[:, full])
    with torch.no_grad():
        here = built.expectation(row, {name: value[:1] for name, value in x.items()}, t[:1])
        there = built.expectation(moved, built.clean_fields(moved), t[:1])
    assert torch.allclose(here[EDGES][:, full][:, :, full], there[EDGES], atol=1e-9)
    assert torch.allclose(here[FEATURES][:, full], there[FEATURES], atol=1e-9)
    assert torch.equal(here[EDGES], here[EDGES].transpose(1, 2))
    assert not here[EDGES][:, 5:].any()
    assert not here[FEATURES][:, 5:].any()
    assert not here[EDGES].diagonal(dim1=1, dim2=2).any()


def test_given_fields_are_read_and_not_changed(batch):
    """Features given a structure depend on the structure, and the other way round."""
    for paradigm, field, given in (("features", FEATURES, EDGES), ("structure", EDGES, FEATURES)):
        built = model(trained=True, paradigm=paradigm)
        x = built.clean_fields(batch)
        t = torch.full((3,), 0.5)
        changed = {**x, given: -x[given]}
        with torch.no_grad():
            assert not torch.allclose(
                built.expectation(batch, x, t)[field], built.expectation(batch, changed, t)[field]
            )


def test_training_times_spread_the_share_of_signal_evenly():
    built = model(edge_sde=VP(), paradigm="structure")
    t = built.training_times(noise(), 1000)
    share = built.edge_sde.alpha(t) ** 2
    assert torch.sort(share).values == pytest.approx(torch.linspace(0, 1, 1000), abs=0.01)
    assert float(t.min()) >= 1e-3


@pytest.mark.parametrize("sde", SDES, ids=repr)
def test_between_sampling_times_the_share_of_signal_rises_evenly(sde):
    times = model(edge_sde=sde, paradigm="structure").sampling_times(40)
    assert times[0] == 1
    assert times[-1] == pytest.approx(1e-3)
    assert bool((times[1:] < times[:-1]).all())
    share = sde.alpha(times) ** 2 / (sde.alpha(times) ** 2 + sde.sigma(times) ** 2)
    expected = (share[-1] - share[0]) / 40
    assert torch.allclose(torch.diff(share), expected.expand(40), rtol=0.05)


def test_every_parameter_gets_a_finite_gradient(batch):
    built = model(trained=True)
    torch.stack([loss.mean() for loss in built.loss(batch, noise()).values()]).sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in built.parameters())


def test_wrong_paradigms_are_refused():
    with pytest.raises(InputError, match="expected paradigm joint, structure or features, got 'both'"):
        model(paradigm="both")
    with pytest.raises(InputError, match="expected node features to generate given a structure, got none"):
        model(num_features=0, paradigm="features")
