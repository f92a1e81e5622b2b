"""Several fields that diffuse side by side and meet only in the score: the system of SDEs of a graph (X, A).

Backwards each field follows dx = [f x - g^2 s(x, y, ..., t)] dt + g dw with its own f and g and its part s of the
score of the joint law.

References:
    Jo, Lee and Hwang, 2022, "Score-based generative modeling of graphs via the system of stochastic differential
    equations", arXiv:2202.02514, eq. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.noise import NoiseSource
from sbgd.diffusion.process import expand
from sbgd.diffusion.sde import SDE

Fields = dict[str, Tensor]
"""One tensor (b, ...) a field."""

Resample = Callable[[Tensor, Tensor], Tensor]
"""Maps E[x_0 | x_t] of a discrete field and standard normal noise to a draw of x_0, entry by entry."""

Score = Callable[[Fields, Float[Tensor, " b"]], Fields]
"""Maps the fields at times (b,) to the gradients of their joint log density, one a field, zero at padding."""


class DivergedError(RuntimeError):
    """A score or a state is not finite."""


@dataclass(frozen=True)
class CoupledSDE:
    """A system to be run backwards.

    Attributes:
        sdes: One SDE a field; fields that are given and not diffused have none.
        score: Score of the joint law.
        project: Turns independent noise into the noise of a field: symmetric, zero at padding. One a field.
        noise: Where noise comes from.
        resample: How x_0 of discrete fields is drawn; real-valued fields have none.
    """

    sdes: Mapping[str, SDE]
    score: Score
    project: Mapping[str, Callable[[Tensor], Tensor]]
    noise: NoiseSource
    resample: Mapping[str, Resample] = field(default_factory=dict)

    def draw(self, name: str, like: Tensor) -> Tensor:
        """Draws noise of a field."""
        return self.project[name](self.noise.normal(tuple(like.shape)).to(like.dtype))

    def prior(self, like: Fields) -> Fields:
        """Draws the fields at t = 1, of the shapes of `like`."""
        return {name: sde.prior_scale * self.draw(name, like[name]) for name, sde in self.sdes.items()}

    def entries(self, name: str, like: Tensor) -> Tensor:
        """Returns 1 at the entries of a field that are diffused, 0 at padding."""
        return (self.project[name](torch.ones_like(like)) != 0).to(like.dtype)

    def scores(self, x: Fields, t: Float[Tensor, " b"]) -> Fields:
        """Returns the score of every field.

        Raises:
            DivergedError: A score is not finite.
        """
        scores = self.score(x, t)
        for name, score in scores.items():
            check_finite(f"the score of {name}", score, t)
        return scores

    def denoised(self, x: Fields, t: Float[Tensor, " b"]) -> Fields:
        """Returns E[x_0 | x_t] = (x_t + sigma_t^2 score) / alpha_t (Tweedie's formula)."""
        scores = self.scores(x, t)
        clean = {}
        for name, sde in self.sdes.items():
            alpha, sigma = expand(sde.alpha(t), x[name]), expand(sde.sigma(t), x[name])
            clean[name] = (x[name] + sigma**2 * scores[name]) / alpha
        return clean


def check_finite(what: str, values: Tensor, t: Float[Tensor, " b"]) -> None:
    """Stops a run that diverges at the step where it does.

    Raises:
        DivergedError: A value is not finite.
    """
    finite = torch.isfinite(values).flatten(1).all(dim=1)
    if not bool(finite.all()):
        raise DivergedError(
            f"expected finite values, got NaN or infinity in {what} at t = {float(t[~finite].max()):.4f}; take more "
            "steps, a smaller snr, or train longer"
        )
