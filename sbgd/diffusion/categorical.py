"""The categorical process on binary edges: keep an entry with probability abar, else redraw it from the prior.

q(x_t = 1 | x_0) = abar x_0 + (1 - abar) p, and the reverse step mixes the exact posteriors q(x_s | x_t, x_0)
(Austin et al. 2021, arXiv 2107.03006, eq. 3; Vignac et al. 2023, arXiv 2209.14734, eq. 4).
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from sbgd.diffusion.process import LOGIT_BOUND, Process, expand

PRIOR_FLOOR = 1e-5


class CategoricalProcess(Process):
    """Binary states 0 and 1 that forget towards independent edges of probability `prior`."""

    name: ClassVar[str] = "categorical"
    noise: ClassVar[Literal["uniform", "normal"]] = "uniform"

    def encode(self, edges: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns the edges themselves."""
        return edges

    def expectation(self, logit: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns the edge probability."""
        return torch.sigmoid(logit)

    def prior_logit(
        self, x_t: Float[Tensor, "b ..."], t: Float[Tensor, " b"], prior: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns log p q(x_t | 1) - log (1 - p) q(x_t | 0), clamped to +-12."""
        p = prior.clamp(PRIOR_FLOOR, 1 - PRIOR_FLOOR)
        keep = expand(self.schedule(t), x_t)
        forget = (1 - keep).clamp(min=1e-12)
        present = torch.log(keep + forget * p) - torch.log(forget * (1 - p))
        absent = torch.log(forget * p) - torch.log(keep + forget * (1 - p))
        return torch.lerp(absent, present, x_t).clamp(-LOGIT_BOUND, LOGIT_BOUND)

    def soft_edges(
        self, x_t: Float[Tensor, "b ..."], t: Float[Tensor, " b"], prior: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns the noisy edges themselves."""
        return x_t

    def initial(self, prior: Float[Tensor, "b ..."], noise: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Draws independent edges of probability `prior`."""
        return (noise < prior).to(noise.dtype)

    def perturb(
        self,
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
        noise: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Draws x_t with P(x_t = 1) = abar x_0 + (1 - abar) p."""
        keep = expand(self.schedule(t), x_0)
        return (noise < keep * x_0 + (1 - keep) * prior).to(x_0.dtype)

    def step(
        self,
        x_t: Float[Tensor, "b ..."],
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        s: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
        noise: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Draws x_s; at s = 0 this is a draw from the edge probabilities `x_0` themselves."""
        return (noise < self.posterior(x_t, x_0, t, s, prior)).to(x_t.dtype)

    def posterior(
        self,
        x_t: Float[Tensor, "b ..."],
        x_0: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        s: Float[Tensor, " b"],
        prior: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Returns P(x_s = 1 | x_t) = sum over clean values of P(clean) q(x_s = 1 | x_t, clean)."""
        p = prior.clamp(PRIOR_FLOOR, 1 - PRIOR_FLOOR)
        keep_s = expand(self.schedule(s), x_t)
        keep_ts = expand(self.schedule(t) / self.schedule(s).clamp(min=1e-12), x_t)
        redraw = (1 - keep_ts) * torch.lerp(1 - p, p, x_t)
        seen_if_one = keep_ts * x_t + redraw
        seen_if_zero = keep_ts * (1 - x_t) + redraw
        low = (1 - keep_s) * p
        high = keep_s + low
        given_one = seen_if_one * high / (seen_if_one * high + seen_if_zero * (1 - high)).clamp(min=1e-12)
        given_zero = seen_if_one * low / (seen_if_one * low + seen_if_zero * (1 - low)).clamp(min=1e-12)
        return torch.lerp(given_zero, given_one, x_0)
