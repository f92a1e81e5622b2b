"""Graph files: readers that report what they merged or refused, and writers; nothing is ever unpickled freely."""

from sbgd.formats.loading import LoadedGraphs, load, save
from sbgd.formats.options import ReadOptions
from sbgd.formats.registry import FORMATS
from sbgd.formats.report import ReadReport

__all__ = ["FORMATS", "LoadedGraphs", "ReadOptions", "ReadReport", "load", "save"]
