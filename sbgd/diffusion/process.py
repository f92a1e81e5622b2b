"""The interface of a diffusion process over one field: edges of blocks, edges between blocks, or node features.

A process is a pure function of tensors: the caller draws the noise (`Process.noise` says which law), so one process
serves training, sampling and tests alike, and symmetry and padding are the caller's business (`noise.symmetric`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.schedule import Schedule

LOGIT_BOUND = 12.0


class Process(ABC):
    """Forward noising and reverse stepping of a field.

    All tensors share the leading batch dimension b; times are (b,). `prior` is the edge probability under the
    independent prior, broadcastable to the field; a process of real-valued fields ignores it.
    """

    name: ClassVar[str]
    noise: ClassVar[Literal["uniform", "normal"]]

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule

    @abstractmethod
    def encode(self, edges: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Turns 0/1 edges into states."""

    @abstractmethod
    def expectation(self, logit: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Turns edge logits into the expected clean state E[x_0 | x_t]."""

    @abstractmethod
    def prior_logit(
        self, x_t: Float[Tensor, "b ..."], t: Float[Tensor, " b"], prior: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns the exact logit of an edge in x_0 given x_t if edges were independent with probability `prior`."""

    @abstractmethod
    def soft_edges(
        self, x_t: Float[Tensor, "b ..."], t: Float[Tensor, " b"], prior: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns edge weights in [0, 1] from which structural features of the noisy graph are computed."""

    @abstractmethod
    def initial(self, prior: Float[Tensor, "b ..."], noise: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Draws x_1, the state at t = 1."""

    @abstractmethod
    def perturb(
        self,
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
        noise: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Draws x_t given x_0."""

    @abstractmethod
    def step(
        self,
        x_t: Float[Tensor, "b ..."],
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        s: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
        noise: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Draws x_s, s < t, from the posterior q(x_s | x_t, x_0) averaged over the expected clean state `x_0`."""


def expand(t: Float[Tensor, " b"], like: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
    """Appends dimensions of size 1 so that a per-sample value broadcasts over a field."""
    return t.reshape(t.shape[0], *(1,) * (like.dim() - 1))
