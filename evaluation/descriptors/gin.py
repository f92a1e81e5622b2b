"""Graph embeddings of an untrained graph isomorphism network (GIN) with fixed random weights.

With h_0 = 2 d the doubled degrees and c = 1 / sqrt(1 + 1e-5), one layer is

    h_l = c^2 relu(W'_l relu(c (W_l (h_{l-1} + A h_{l-1}) + b_l)) + b'_l),

and the embedding holds the sums over all nodes of h_1, h_2, ... side by side. c is what batch normalisation does before
it has seen data; the degrees are doubled because GGM-metrics adds in- and out-degrees of graphs with both directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sbgd.errors import InputError
from sbgd.evaluation.descriptors.descriptor import Vectors
from sbgd.evaluation.descriptors.features import node_features
from sbgd.evaluation.graph_set import GraphSet

Floats = NDArray[np.float64]

_NORMALISATION = 1 / np.sqrt(1 + 1e-5)


@dataclass(frozen=True, eq=False)
class Affine:
    """x -> W x + b.

    Attributes:
        weight: W (outputs, inputs).
        bias: b (outputs,).
    """

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        """Returns the map of every row of x (N, inputs), (N, outputs)."""
        return x @ self.weight.T + self.bias

    @classmethod
    def random(cls, num_inputs: int, num_outputs: int, generator: np.random.Generator) -> Affine:
        """Draws W orthogonal (Saxe et al., 2013, arXiv:1312.6120) and b uniform within 1 / sqrt(inputs)."""
        tall = generator.standard_normal((max(num_inputs, num_outputs), min(num_inputs, num_outputs)))
        q, r = np.linalg.qr(tall)
        # without the signs Q is not uniform over orthogonal matrices
        q = q * np.sign(np.diag(r))
        bound = 1 / np.sqrt(num_inputs)
        weight = q if num_outputs >= num_inputs else q.T
        return cls(np.ascontiguousarray(weight), generator.uniform(-bound, bound, num_outputs))


@dataclass(frozen=True, eq=False)
class GINWeights:
    """Weights of a GIN.

    Attributes:
        layers: W, b and W', b' of every layer.
    """

    layers: tuple[tuple[Affine, Affine], ...]

    @property
    def num_inputs(self) -> int:
        """Number of node features that the first layer takes."""
        return self.layers[0][0].weight.shape[1]

    @property
    def num_outputs(self) -> int:
        """Number of dimensions of the embedding."""
        return sum(len(outer.bias) for _, outer in self.layers)

    @classmethod
    def random(
        cls, num_inputs: int, hidden_dim: int = 35, num_layers: int = 2, *, generator: np.random.Generator
    ) -> GINWeights:
        """Draws the weights of all layers in their order."""
        widths = [num_inputs] + [hidden_dim] * (num_layers - 1)
        return cls(
            tuple(
                (Affine.random(width, hidden_dim, generator), Affine.random(hidden_dim, hidden_dim, generator))
                for width in widths
            )
        )

    @classmethod
    def from_state(cls, state: Mapping[str, ArrayLike]) -> GINWeights:
        """Takes over the weights of the GIN of GGM-metrics or of polygraph-benchmark.

        Args:
            state: Arrays under the names of its state dict, `ginlayers.0.apply_func.mlp.linears.0.weight` and so on.
                Other entries are not read: batch normalisation is taken to be untrained.

        Raises:
            InputError: There is no such entry.
        """

        def affine(prefix: str) -> Affine:
            weight, bias = (np.asarray(state[f"{prefix}.{name}"], dtype=np.float64) for name in ("weight", "bias"))
            return Affine(weight, bias)

        layers = []
        for index in count():
            prefix = f"ginlayers.{index}.apply_func.mlp.linears"
            if f"{prefix}.0.weight" not in state:
                break
            layers.append((affine(f"{prefix}.0"), affine(f"{prefix}.1")))
        if not layers:
            raise InputError(f"expected an entry {prefix}.0.weight, got {sorted(state)[:3]}; pass the GIN's state dict")
        return cls(tuple(layers))


@dataclass(frozen=True)
class RandomGIN:
    """Embedding of a GIN with random weights, (G, num_layers x hidden_dim); 0 for graphs without nodes.

    Scales differ widely between columns and some are always 0: standardise before any comparison, and repeat with
    other seeds, `replace(descriptor, seed=1)`, since the draw of the weights moves every metric.

    Attributes:
        seed: Seed of the weights.
        features: Whether node features, which the caller has standardised, stand beside the degrees in the input, so
            that structure and features are judged together.
        num_layers: Layers.
        hidden_dim: Width of every layer.
        weights: Weights to use in place of random ones; the three attributes before are then not read.

    References:
        Thompson et al., 2022, "On evaluation metrics for graph generative models", arXiv:2201.09871; Xu et al., 2019,
        "How powerful are graph neural networks?", arXiv:1810.00826, eq. 4.1.
    """

    seed: int = 0
    features: bool = False
    num_layers: int = 2
    hidden_dim: int = 35
    weights: GINWeights | None = None
    uses_eigenvectors: ClassVar[bool] = False

    def __call__(self, graphs: GraphSet) -> Vectors:
        """Returns the embeddings, float64 (G, num_layers x hidden_dim).

        Raises:
            InputError: A graph has no features although they are asked for, not as many as another graph, or not as
                many as the weights take.
        """
        graphs = GraphSet.of(graphs)
        inputs = self._inputs(graphs)
        weights = self.weights or self._drawn(inputs.shape[1])
        if not len(inputs):
            return np.zeros((len(graphs), weights.num_outputs))
        if inputs.shape[1] != weights.num_inputs:
            raise InputError(
                f"expected weights for {inputs.shape[1]} inputs (degree and features), got some for "
                f"{weights.num_inputs}; load the weights of another network or drop the features"
            )
        return _embeddings(graphs, inputs, weights)

    def _inputs(self, graphs: GraphSet) -> Floats:
        degrees = (2 * graphs.union.degrees[:, None]).astype(np.float64)
        return np.concatenate([degrees, node_features(graphs)], axis=1) if self.features else degrees

    def _drawn(self, num_inputs: int) -> GINWeights:
        generator = np.random.default_rng(self.seed)
        return GINWeights.random(num_inputs, self.hidden_dim, self.num_layers, generator=generator)


def _embeddings(graphs: GraphSet, inputs: Floats, weights: GINWeights) -> Vectors:
    A, h = graphs.union.to_scipy(), inputs
    pooled = []
    for inner, outer in weights.layers:
        h = np.maximum(_NORMALISATION * inner(h + A @ h), 0)
        h = _NORMALISATION**2 * np.maximum(outer(h), 0)
        pooled.append(np.asarray(graphs.sums(h), dtype=np.float64))
    return np.concatenate(pooled, axis=1)
