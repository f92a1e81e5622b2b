"""The fields of a graph that are diffused: how values become real codes, and what a noisy code says on its own.

x_0 is the code of the clean values and x_t = alpha_t x_0 + sigma_t z. If all entries were independent, Bayes' rule
would give the law of x_0 given x_t exactly, from the share of every value in training. A network adds a residual to the
mean or the logits of that law, so that an untrained one equals independent entries and learns only how entries depend
on each other. Codes are real numbers, or -1 and +1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from sbgd.diffusion.calibration import count_shift
from sbgd.diffusion.process import LOGIT_BOUND, expand
from sbgd.diffusion.sde import SDE

_SMALLEST_VARIANCE = 1e-6


class Field(nn.Module, ABC):
    """One kind of values.

    Args:
        sde: How the code is diffused; None for a field that is given.
    """

    def __init__(self, sde: SDE | None) -> None:
        super().__init__()
        self.sde = sde

    @abstractmethod
    def code(self, values: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Returns x_0 of clean values (for categories: of one-hot values)."""

    @abstractmethod
    def belief(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns the mean or the logits of the values given x_t under independent entries."""

    @abstractmethod
    def inputs(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns what a network reads of the field, of order 1 at all times."""

    @abstractmethod
    def expectation(
        self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"], residual: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns E[x_0 | x_t] given the network's residual."""

    @abstractmethod
    def loss(
        self,
        values: Float[Tensor, "b ..."],
        x: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        residual: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Returns a loss an entry (for categories: a node or pair), about 1 for a network that knows nothing."""

    def _evidence(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns 2 alpha x / sigma^2: the log likelihood ratio of the codes +1 and -1."""
        if self.sde is None:
            return 2 * LOGIT_BOUND * x
        alpha, sigma = expand(self.sde.alpha(t), x), expand(self.sde.sigma(t), x)
        return 2 * alpha * x / (sigma**2).clamp(min=_SMALLEST_VARIANCE)


class RealField(Field):
    """Real values of mean 0 and variance 1, under which the independent law is the standard normal one."""

    def code(self, values: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Returns the values."""
        return values

    def belief(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns E[x_0 | x_t] = alpha x / (alpha^2 + sigma^2)."""
        return x if self.sde is None else self._moments(self.sde, x, t)[0]

    def inputs(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns x_t over its standard deviation."""
        if self.sde is None:
            return x
        return x / (expand(self.sde.alpha(t), x) ** 2 + expand(self.sde.sigma(t), x) ** 2).sqrt()

    def expectation(
        self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"], residual: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns the mean under independence plus residual standard deviations."""
        assert self.sde is not None
        mean, spread = self._moments(self.sde, x, t)
        return mean + spread * residual

    def loss(
        self,
        values: Float[Tensor, "b ..."],
        x: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        residual: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Returns the squared error over the variance under independence."""
        assert self.sde is not None
        mean, spread = self._moments(self.sde, x, t)
        return ((values - mean) / spread - residual) ** 2

    @staticmethod
    def _moments(
        sde: SDE, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]
    ) -> tuple[Float[Tensor, "b ..."], Float[Tensor, "b ..."]]:
        alpha, sigma = expand(sde.alpha(t), x), expand(sde.sigma(t), x)
        total = alpha**2 + sigma**2
        return alpha * x / total, sigma / total.sqrt()


class BinaryField(Field):
    """Zeros and ones, coded as -1 and +1.

    Args:
        sde: How the code is diffused; None for a field that is given.
        num_columns: Columns with shares of their own along the last axis; 1 for one share everywhere.
    """

    share: Tensor

    def __init__(self, sde: SDE | None, num_columns: int = 1) -> None:
        super().__init__(sde)
        self.register_buffer("share", torch.full((num_columns,), 0.1))

    def code(self, values: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Returns 2 values - 1."""
        return 2 * values - 1

    def belief(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns the logit of a one: log p / (1 - p) + 2 alpha x / sigma^2."""
        logit = torch.logit(self.share, eps=1e-5) + self._evidence(x, t)
        return logit.clamp(-LOGIT_BOUND, LOGIT_BOUND)

    def inputs(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns the probability of a one under independence, standardised by the law of the column."""
        spread = (self.share * (1 - self.share)).sqrt().clamp(min=1e-2)
        return (torch.sigmoid(self.belief(x, t)) - self.share) / spread

    def expectation(
        self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"], residual: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns tanh of half the logit."""
        return torch.tanh(0.5 * (self.belief(x, t) + residual))

    def share_shift(
        self,
        x: Float[Tensor, "b n f"],
        t: Float[Tensor, " b"],
        residual: Float[Tensor, "b n f"],
        mask: Float[Tensor, "b n"],
    ) -> Float[Tensor, "b 1 f"]:
        """Returns the shift of every column's logits that gives it its share over the nodes of a graph.

        Args:
            x: Noisy codes.
            t: Times.
            residual: What the network adds to the logits.
            mask: 1 for nodes, 0 for padding.
        """
        columns = (self.belief(x, t) + residual).transpose(1, 2)
        weight = mask.unsqueeze(1).expand_as(columns)
        count = mask.sum(-1, keepdim=True) * self.share
        shift = count_shift(columns.flatten(0, 1), weight.flatten(0, 1), count.flatten(), iterations=14)
        return shift.reshape(len(mask), 1, -1)

    def resample(self, expectation: Float[Tensor, "b ..."], noise: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns -1 or +1 with that mean, entry by entry, out of standard normal noise."""
        return torch.where(torch.special.ndtr(noise) < 0.5 * (1 + expectation), 1.0, -1.0).to(expectation.dtype)

    def loss(
        self,
        values: Float[Tensor, "b ..."],
        x: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        residual: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Returns the cross entropy over the entropy of the columns, of which the average is taken."""
        logit = self.belief(x, t) + residual
        entropy = -(torch.xlogy(self.share, self.share) + torch.xlogy(1 - self.share, 1 - self.share))
        return F.binary_cross_entropy_with_logits(logit, values, reduction="none") / entropy.mean().clamp(min=1e-6)


class CategoricalField(Field):
    """One of c categories, coded as -1 and +1 of length c along one axis.

    Args:
        sde: How the code is diffused; None for a field that is given.
        num_categories: Categories c.
        axis: Where they lie.
    """

    share: Tensor

    def __init__(self, sde: SDE | None, num_categories: int, axis: int) -> None:
        super().__init__(sde)
        self.axis = axis
        self.register_buffer("share", torch.full((num_categories,), 1.0 / num_categories))

    def code(self, values: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Returns 2 onehot - 1."""
        return 2 * values - 1

    def one_hot(self, index: Tensor) -> Tensor:
        """Returns categories as one-hot values along the axis."""
        return F.one_hot(index.long(), len(self.share)).movedim(-1, self.axis).to(self.share.dtype)

    def belief(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns the logits log p_c + 2 alpha x_c / sigma^2."""
        shape = [1] * x.dim()
        shape[self.axis] = -1
        logits = self.share.clamp(min=1e-6).log().reshape(shape) + self._evidence(x, t)
        top = logits.amax(dim=self.axis, keepdim=True)
        return (logits - top).clamp(min=-2 * LOGIT_BOUND)

    def inputs(self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"]) -> Float[Tensor, "b ..."]:
        """Returns the probabilities under independence."""
        return self.belief(x, t).softmax(dim=self.axis)

    def expectation(
        self, x: Float[Tensor, "b ..."], t: Float[Tensor, " b"], residual: Float[Tensor, "b ..."]
    ) -> Float[Tensor, "b ..."]:
        """Returns 2 softmax - 1."""
        return 2 * (self.belief(x, t) + residual).softmax(dim=self.axis) - 1

    def resample(self, expectation: Float[Tensor, "b ..."], noise: Float[Tensor, "b ..."]) -> Float[Tensor, "b ..."]:
        """Returns one-hot codes with that mean, entry by entry, out of standard normal noise (Gumbel-max)."""
        gumbel = -torch.log(-torch.special.log_ndtr(noise))
        logits = torch.log((0.5 * (1 + expectation)).clamp(min=1e-12))
        return self.code(self.one_hot((logits + gumbel).argmax(dim=self.axis)))

    def loss(
        self,
        values: Float[Tensor, "b ..."],
        x: Float[Tensor, "b ..."],
        t: Float[Tensor, " b"],
        residual: Float[Tensor, "b ..."],
    ) -> Float[Tensor, "b ..."]:
        """Returns the cross entropy over the entropy of the shares; the axis of the categories is gone."""
        entropy = -torch.xlogy(self.share, self.share).sum().clamp(max=-1e-6)
        logs = (self.belief(x, t) + residual).log_softmax(dim=self.axis)
        return -(values * logs).sum(dim=self.axis) / entropy
