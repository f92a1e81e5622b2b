"""What is watched while a model is trained."""

from sbgd.tracking.draw_samples import DrawSamples
from sbgd.tracking.sample_metrics import SampleMetrics
from sbgd.tracking.validation_samples import ValidationSamples

__all__ = ["DrawSamples", "SampleMetrics", "ValidationSamples"]
