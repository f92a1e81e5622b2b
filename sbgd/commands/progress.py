"""Progress bars with rate and time left; silent when standard error is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class RateColumn(ProgressColumn):
    """Finished items per second."""

    def render(self, task: Task) -> Text:
        """Returns the rate, or a dash before the first item."""
        return Text("-/s" if task.speed is None else f"{task.speed:.1f}/s")


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yields a function (stage, done, total) that draws one bar a stage."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), RateColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        tasks: dict[str, int] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done)  # type: ignore[arg-type]

        yield update
