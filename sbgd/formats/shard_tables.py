"""How one shard of a sample is written: its columns and its encoding, see `sbgd.formats.sharded`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

SHARD_KEY = b"sbgd.shard"
"""Key in the metadata of a file that is a shard, so that it is not taken for a whole graph."""


def edge_table(graph: NDArray[np.int64], edges: NDArray[np.int64]) -> pa.Table:
    """Returns the rows of an edge shard: int64 (m,) graphs and (m, 2) nodes."""
    import pyarrow as pa

    return pa.table({"graph": graph, "source": edges[:, 0], "target": edges[:, 1]})


def node_table(graph: NDArray[np.int64], nodes: NDArray[np.int64], features: NDArray[np.float64]) -> pa.Table:
    """Returns the rows of a node shard: int64 (n,) graphs and nodes, (n, f) features."""
    import pyarrow as pa

    return pa.table({"graph": graph, "node": nodes} | {f"x{i}": column for i, column in enumerate(features.T)})


def encoded(table: pa.Table) -> bytes:
    """Returns a table as a Parquet file: zstd, integers delta encoded."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    encodings = {
        field.name: "DELTA_BINARY_PACKED" if pa.types.is_integer(field.type) else "BYTE_STREAM_SPLIT"
        for field in table.schema
    }
    buffer = io.BytesIO()
    table = table.replace_schema_metadata({SHARD_KEY: b"1"})
    pq.write_table(table, buffer, compression="zstd", use_dictionary=False, column_encoding=encodings)
    return buffer.getvalue()
