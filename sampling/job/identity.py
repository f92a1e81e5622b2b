"""What makes a sample the one it is: a job is continued only by a command that asks for the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

Manifest = Mapping[str, Any]
NAMES = {
    "seed": "--seed",
    "num_nodes": "--num-nodes",
    "num_graphs": "--num-graphs",
    "steps": "--steps",
    "shard_edges": "--shard-edges",
    "batch_size": "--batch-size",
    "device": "--device",
    "sha256": "checkpoint",
    "description": "checkpoint description",
    "sizes": "sizes of graphs",
    "version": "sbgd",
    "torch": "torch",
    "pyarrow": "pyarrow",
}


def identity(manifest: Manifest) -> dict[str, Any]:
    """Returns everything that the bytes of a sample depend on, by the key of `NAMES`."""
    checkpoint, request = manifest.get("checkpoint", {}), manifest.get("request", {})
    sizes = json.dumps(manifest.get("num_nodes")).encode()
    return {
        **{key: manifest.get(key) for key in ("seed", "version", "torch", "pyarrow")},
        **{
            key: request.get(key) for key in ("num_nodes", "num_graphs", "steps", "shard_edges", "batch_size", "device")
        },
        **{key: checkpoint.get(key) for key in ("sha256", "description")},
        "sizes": hashlib.sha256(sizes).hexdigest(),
    }


def difference(begun: Manifest, wanted: Manifest) -> tuple[str, str] | None:
    """Returns the first difference as what was begun and what is wanted, in words; None for the same sample."""
    old, new = identity(begun), identity(wanted)
    key = next((key for key in NAMES if old[key] != new[key]), None)
    return None if key is None else (f"{NAMES[key]} {_short(old[key])}", f"{NAMES[key]} {_short(new[key])}")


def _short(value: Any) -> str:
    return f"{value[:12]}..." if isinstance(value, str) and len(value) == 64 else str(value)
