"""Whatever happens to a file's bytes, reading it gives graphs or one line about the input."""

import random
from pathlib import Path

import pytest

from sbgd.errors import InputError
from sbgd.formats import load, save
from sbgd.graph import Graph

GRAPH = Graph.from_edges([(0, 1), (1, 2)], 3, features=[0.5, 1, 2], labels=[0, 1, 2], node_ids=["a", "b", "c"])
TEXTS = {
    "a.graph": "3 2 1\n2 5\n1 5 3 1\n2 1\n",
    "a.csv": "source,target,weight\n0,1,1\n1,2,1\n",
    "a.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
}


def damaged(data: bytes, generator: random.Random) -> bytes:
    if generator.random() < 0.3:
        return data[: generator.randrange(1, len(data))]
    changed = bytearray(data)
    for _ in range(generator.randrange(1, 4)):
        changed[generator.randrange(len(data))] = generator.choice([0, 10, 32, 57, generator.randrange(256)])
    return bytes(changed)


@pytest.mark.parametrize("name", ["a.npz", "a.edges", "a.edges.gz", "a.graphml", "a.json", "a.parquet", *TEXTS])
def test_damage_is_never_a_traceback(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name in TEXTS:
        path.write_text(TEXTS[name])
    else:
        save([GRAPH], path)
    whole, generator = path.read_bytes(), random.Random(0)
    messages = []
    for _ in range(300):
        path.write_bytes(damaged(whole, generator))
        try:
            load(path)
        except InputError as error:
            messages.append(str(error))
    assert messages
    assert not any("\n" in message for message in messages)
