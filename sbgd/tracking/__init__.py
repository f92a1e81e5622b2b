"""What is watched while a model is trained."""

from sbgd.tracking.sample_metrics import SampleMetrics

__all__ = ["SampleMetrics"]
