"""Numbered batches without end, of which an epoch takes some, and the same batches every time for validation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import numpy as np

Batch = TypeVar("Batch")


class BatchStream(ABC, Generic[Batch]):
    """Iterates over the batches of one epoch; its position can be saved and restored.

    Batch number g depends on (seed, rank, g) alone.

    Args:
        num_batches: Batches an epoch.
        seed: Seed of the order.
        rank: Number of this process; every process draws its own batches.
    """

    def __init__(self, *, num_batches: int, seed: int, rank: int) -> None:
        self.num_batches = num_batches
        self.seed = seed
        self.rank = rank
        self.position = 0

    @abstractmethod
    def batch(self, number: int) -> Batch:
        """Returns batch number `number`, from 0, of the stream."""

    def __len__(self) -> int:
        return self.num_batches

    def __iter__(self) -> Iterator[Batch]:
        for _ in range(self.position % self.num_batches, self.num_batches):
            number = self.position
            self.position += 1  # before the batch is used: a state saved meanwhile counts it
            yield self.batch(number)

    def state_dict(self) -> dict[str, Any]:
        """Returns the number of batches drawn so far."""
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues after the batches drawn so far."""
        self.position = int(state["position"])

    def generator(self, number: int) -> np.random.Generator:
        """Returns the random numbers of one batch."""
        return np.random.default_rng([self.seed, self.rank, number])


class FixedBatches(Generic[Batch]):
    """The first batches of a stream.

    Args:
        stream: Where the batches come from; its position stays as it is.
        num_batches: Number of batches.
    """

    def __init__(self, stream: BatchStream[Batch], num_batches: int) -> None:
        self.stream = stream
        self.num_batches = num_batches

    def __len__(self) -> int:
        return self.num_batches

    def __iter__(self) -> Iterator[Batch]:
        return (self.stream.batch(number) for number in range(self.num_batches))
