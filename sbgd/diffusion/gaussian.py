"""The Gaussian variance-preserving process on real-valued states: x_t = sqrt(abar) x_0 + sqrt(1 - abar) eps.

The reverse step is the exact Gaussian posterior q(x_s | x_t, x_0) (Ho et al. 2020, arXiv 2006.11239, eq. 7) between
any two times. Edges are encoded as -1 and +1, so that the noise is centred between the two values.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.process import LOGIT_BOUND, Process, expand
from sbgd.diffusion.schedule import Schedule
from sbgd.errors import InputError


class GaussianProcess(Process):
    """Real states that forget towards a standard normal law; serves node features and edges encoded as -1/+1.

    Args:
        schedule: Noise schedule.
        variance: Variance of a reverse step (Ho et al. 2020, section 3.2): `small` is that of q(x_s | x_t, x_0), right
            where the network knows x_0; `large` is 1 - abar_t / abar_s, right for standard normal data, of which
            nothing is known. The truth lies between, and few steps make the difference visible.
    """

    name: ClassVar[str] = "gaussian"
    noise: ClassVar[Literal["uniform", "normal"]] = "normal"

    def __init__(self, schedule: Schedule, variance: Literal["small", "large"] = "small") -> None:
        super().__init__(schedule)
        if variance not in ("small", "large"):
            raise InputError(f"expected variance small or large, got {variance!r}")
        self.variance = variance

    def encode(self, edges: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns 2 a - 1."""
        return 2 * edges - 1

    def expectation(self, logit: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns tanh(logit / 2), the mean of a -1/+1 variable with that logit."""
        return torch.tanh(0.5 * logit)

    def prior_logit(
        self, x_t: Float[Tensor, "b ..."], t: Float[Tensor, " b"], prior: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns logit(p) + 2 sqrt(abar) x_t / (1 - abar), clamped to +-12."""
        abar = expand(self.schedule(t), x_t)
        evidence = 2 * abar.sqrt() * x_t / (1 - abar).clamp(min=1e-6)
        return (torch.logit(prior, eps=1e-5) + evidence).clamp(-LOGIT_BOUND, LOGIT_BOUND)

    def soft_edges(
        self, x_t: Float[Tensor, "b ..."], t: Float[Tensor, " b"], prior: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns the edge probability under the independent prior."""
        return torch.sigmoid(self.prior_logit(x_t, t, prior))

    def initial(self, prior: Float[Tensor, "b ..."], noise: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns the noise itself."""
        return noise

    def perturb(
        self,
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
        noise: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Draws x_t given x_0."""
        abar = expand(self.schedule(t), x_0)
        return abar.sqrt() * x_0 + (1 - abar).sqrt() * noise

    def step(
        self,
        x_t: Float[Tensor, "b ..."],
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        s: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
        noise: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Draws x_s; at s = 0 this returns `x_0`."""
        abar_t, abar_s = expand(self.schedule(t), x_t), expand(self.schedule(s), x_t)
        ratio = abar_t / abar_s.clamp(min=1e-12)
        total = (1 - abar_t).clamp(min=1e-12)
        mean = (abar_s.sqrt() * (1 - ratio) * x_0 + ratio.sqrt() * (1 - abar_s) * x_t) / total
        variance = (1 - abar_s) * (1 - ratio) / total
        if self.variance == "large":
            variance = torch.where(abar_s < 1, 1 - ratio, variance)
        return mean + variance.clamp(min=0).sqrt() * noise
