"""What validation reads: the first batches of a stream, the same every time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

Batch = TypeVar("Batch")
Batch_co = TypeVar("Batch_co", covariant=True)


class NumberedBatches(Protocol[Batch_co]):
    """A stream whose batches are numbered."""

    def batch(self, number: int) -> Batch_co:
        """Returns batch number `number`."""


class FixedBatches(Generic[Batch]):
    """The first batches of a stream.

    Args:
        stream: Where the batches come from; its position stays as it is.
        num_batches: Number of batches.
    """

    def __init__(self, stream: NumberedBatches[Batch], num_batches: int) -> None:
        self.stream = stream
        self.num_batches = num_batches

    def __len__(self) -> int:
        return self.num_batches

    def __iter__(self) -> Iterator[Batch]:
        return (self.stream.batch(number) for number in range(self.num_batches))
