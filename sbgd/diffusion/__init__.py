"""Diffusion: schedules, processes, noise sources and calibration of logits."""

from sbgd.diffusion.categorical import CategoricalProcess
from sbgd.diffusion.gaussian import GaussianProcess
from sbgd.diffusion.noise import CounterNoise, GeneratorNoise, NoiseSource, symmetric
from sbgd.diffusion.process import Process
from sbgd.diffusion.schedule import CosineSchedule, Schedule, VPSchedule

__all__ = [
    "CategoricalProcess",
    "CosineSchedule",
    "CounterNoise",
    "GaussianProcess",
    "GeneratorNoise",
    "NoiseSource",
    "Process",
    "Schedule",
    "VPSchedule",
    "symmetric",
]
