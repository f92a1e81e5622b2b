"""An evaluation in the forms that people read: terminal, Markdown, LaTeX, one HTML page."""

from sbgd.evaluation.report.denoising import DenoisingStrip
from sbgd.evaluation.report.html import html_report, pictures_page
from sbgd.evaluation.report.latex import latex_report
from sbgd.evaluation.report.markdown import markdown_report
from sbgd.evaluation.report.record import RunRecord, graphs_digest
from sbgd.evaluation.report.shown_set import ShownSet
from sbgd.evaluation.report.terminal import terminal_report

__all__ = [
    "DenoisingStrip",
    "RunRecord",
    "ShownSet",
    "graphs_digest",
    "html_report",
    "latex_report",
    "markdown_report",
    "pictures_page",
    "terminal_report",
]
