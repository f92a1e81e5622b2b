"""An evaluation in the forms that people read: terminal, Markdown, LaTeX, one HTML page."""

from sbgd.evaluation.report.html import html_report
from sbgd.evaluation.report.latex import latex_report
from sbgd.evaluation.report.markdown import markdown_report
from sbgd.evaluation.report.terminal import terminal_report

__all__ = ["html_report", "latex_report", "markdown_report", "terminal_report"]
