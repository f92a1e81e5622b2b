"""The third stage: sorted edges, and features if there are any, as files of the output."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from sbgd.data.scaler import FeatureScaler
from sbgd.formats.shard_tables import encoded
from sbgd.sampling.job.block_stage import BlockStage
from sbgd.sampling.job.output import Output
from sbgd.sampling.job.shards import GeneratedEdges, cut_shards
from sbgd.sampling.job.stage import Progress, Stage, Unit, unit_name
from sbgd.sampling.job.units import Arrays
from sbgd.sampling.job.work_folder import WorkFolder


class ShardStage(Stage):
    """Sorted edges and features, as files of the output."""

    name = "shards"

    def __init__(
        self,
        work: WorkFolder,
        progress: Progress | None,
        edges: GeneratedEdges,
        made: BlockStage,
        scaler: FeatureScaler,
        output: Output,
        edges_per_shard: int,
    ) -> None:
        self.starts = cut_shards(edges.plan, edges_per_shard)
        super().__init__(work, progress, len(self.starts) - 1)
        self.edges = edges
        self.made = made
        self.scaler = scaler
        self.output = output
        self.files: dict[str, str] = {}
        self.rows: dict[str, int] = {}

    def counts(self) -> list[int]:
        """Returns the number of shards."""
        return [len(self.starts) - 1]

    def finish(self, unit: Unit) -> None:
        """Writes a shard unless it lies there as it was written."""
        record = self.work.read(unit_name("shards", unit[1]))
        if record is None or not all(
            self.output.holds(entry["name"], entry["size"], entry["sha256"]) for entry in _entries(record)
        ):
            self._make(unit[1])

    def collect(self) -> None:
        """Takes in what was written."""
        for number in range(len(self.starts) - 1):
            for entry in _entries(self.work.wait(unit_name("shards", number))):
                self.files[entry["name"]] = entry["sha256"]
                self.rows[entry["name"]] = entry["rows"]
            self.see((0, number), 1)

    def _make(self, number: int) -> None:
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        tables = {f"edges-{number:05d}.parquet": self.edges.table(first, last)}
        if self.scaler.num_features:
            features = self.scaler.restore(self.made.features(first, last))
            tables[f"nodes-{number:05d}.parquet"] = self.edges.node_table(first, last, features)
        entries = []
        for name, table in tables.items():
            data = encoded(table)
            self.output.write(name, data)
            digest = hashlib.sha256(data).hexdigest()
            entries.append({"name": name, "rows": table.num_rows, "size": len(data), "sha256": digest})
        text = json.dumps(entries).encode()
        self.work.write(unit_name("shards", number), {"entries": np.frombuffer(text, np.uint8)})


def _entries(record: Arrays) -> list[dict[str, Any]]:
    return json.loads(record["entries"].tobytes())
