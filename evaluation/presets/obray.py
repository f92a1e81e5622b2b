"""O'Bray et al.: unbiased estimates with positive definite kernels beside indefinite ones."""

from __future__ import annotations

from sbgd.evaluation.descriptors import ClusteringHistogram, DegreeHistogram, Descriptor, SpectrumHistogram
from sbgd.evaluation.distances import Euclidean, TotalVariation
from sbgd.evaluation.kernels import Gaussian, Kernel, Laplacian, Linear
from sbgd.evaluation.metric import MMDDefinition
from sbgd.evaluation.presets.preset import Preset

_DESCRIPTORS: dict[str, Descriptor] = {
    "degree": DegreeHistogram(),
    "clustering": ClusteringHistogram(bins=200),
    "spectral": SpectrumHistogram(lowest=0.0),
}
_KERNELS: dict[str, Kernel] = {
    # exp(-|x - y|^2)
    "gaussian": Gaussian(Euclidean(), 0.5**0.5),
    "linear": Linear(),
    "gaussian_tv": Gaussian(TotalVariation(), 1.0),
}


def _unbiased(descriptor: Descriptor, kernel: Kernel) -> MMDDefinition:
    return MMDDefinition(descriptor, kernel, estimator="unbiased")


OBRAY = Preset(
    name="obray",
    summary="O'Bray et al., 2022, arXiv:2106.01098: unbiased MMDs, here with the kernel exp(-TV); also with "
    "exp(-|x - y|^2) (_gaussian), <x, y> (_linear) and exp(-TV^2 / 2) (_gaussian_tv). The paper chooses the widths "
    "by experiments with perturbed graphs; here they are 1.",
    mmds={name: _unbiased(descriptor, Laplacian(TotalVariation(), 1.0)) for name, descriptor in _DESCRIPTORS.items()},
    variants={
        f"{name}_{suffix}": _unbiased(descriptor, kernel)
        for name, descriptor in _DESCRIPTORS.items()
        for suffix, kernel in _KERNELS.items()
    },
    defects=("lost_eigenvalues",),
)
