"""Writes evaluation/README.md: presets, defects, and what every metric of every preset gives on the test fixtures.

python scripts/tabulate_presets.py          writes the file
python scripts/tabulate_presets.py --check  says whether it is up to date (exit code 1 if not)
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import cache
from pathlib import Path

import numpy as np

from sbgd.evaluation.defects import DEFECTS
from sbgd.evaluation.descriptors.descriptor import Descriptor, Vectors
from sbgd.evaluation.graph_set import GraphSet
from sbgd.evaluation.metric import MMDDefinition, VectorMMD
from sbgd.evaluation.presets import PRESETS, Preset
from sbgd.graph import Graph

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "data_files" / "evaluation"
OUT = ROOT / "evaluation" / "README.md"

FAMILIES = ("rgg_er", "sbm", "planar")
PAIRS = [(f"{family}:ref", f"{family}:{part}") for family in FAMILIES for part in ("gen", "train")]

INTRODUCTION = """\
# Evaluation

`sbgd.evaluation` measures generated graphs against reference graphs. It works alone, on the files of any generator, and
imports no torch.

```
sbgd evaluate GENERATED --reference REFERENCE [--train TRAIN] [--preset P] [--validity RULE] [--report F.html]
```

```python
from sbgd.evaluation import evaluate
from sbgd.evaluation.baselines import ErdosRenyi

result = evaluate(generated, reference, train=train, preset="spectre", baselines=[ErdosRenyi(reference)])
result.metrics.mmd["degree"].value
```

The sets may be lists of `sbgd.Graph`, of networkx graphs, of adjacency matrices, PyG `Data`, a `Batch` or a data set.

| where | what |
| --- | --- |
| `descriptors/` | a graph as a vector: histograms, orbit counts, wavelets, embeddings by a random network |
| `distances.py`, `kernels.py` | how far two vectors are apart, and how alike that makes them |
| `mmd.py`, `inference.py` | estimates of MMD^2; test, interval and floor, without which none can be read |
| `metric.py` | descriptor + kernel + estimator |
| `presets/`, `defects.py` | the metrics of every source by name, and the known errors of its code |
| `embedding.py`, `discrepancy.py` | Frechet distance, precision, recall, density, coverage; PolyGraph Discrepancy |
| `collection.py` | all metrics of a preset against one reference |
| `comparison.py` | the same with baselines, validity and statistics |
| `validity/`, `vun.py`, `novelty.py` | which graphs are valid, unique and novel |
| `isomorphism.py` | whether two graphs are the same, exactly and in bounded time |
| `statistics/` | single graphs of any size |
| `baselines/` | generators that learn nothing, so that a score has a meaning |
| `report/`, `result.py` | terminal, Markdown, LaTeX, HTML; `metrics.json` and its schema |
"""

TABLE_NOTE = """\
Value of every MMD on three fixtures of 20 graphs a set (`tests/data_files/evaluation/graphs.npz`): reference against
generated and against training graphs, all defects off. `=` marks values that equal those of the source's own code: to
1e-10, to 1e-5 where the source rounds inside its earth mover's distance; `~` those that differ by what the source loses
to rounding (eigenvalues on the edge of its histogram), at most 3e-3. Others were not run by the source on these
fixtures. Defects switched on are compared by `tests/evaluation/test_reference.py`.
"""


def main() -> int:
    """Writes or checks the file; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    if not parser.parse_args().check:
        OUT.write_text(document(), encoding="utf-8")
        return 0
    if OUT.read_text(encoding="utf-8") == document():
        return 0
    print(f"{OUT.name} is out of date; run python scripts/{Path(__file__).name}", file=sys.stderr)
    return 1


def document() -> str:
    """Returns the text of the file."""
    return "\n".join(
        [
            INTRODUCTION,
            "## Presets\n",
            *[f"* **{preset.name}**. {preset.summary}" for preset in PRESETS.values()],
            "\n## Known defects\n",
            "All off; `--defects NAME` repeats them, to check a published number. " + _owners() + "\n",
            *[f"* `{defect.name}`: {defect.explanation}." for defect in DEFECTS.values()],
            "\n## Every metric of every preset on the fixtures\n",
            TABLE_NOTE,
            *_table(),
            "",
        ]
    )


def _owners() -> str:
    return (
        "; ".join(f"{preset.name}: {', '.join(preset.defects)}" for preset in PRESETS.values() if preset.defects) + "."
    )


def _table() -> list[str]:
    header = ["preset", "metric", *[f"{first} {second.split(':')[1]}" for first, second in PAIRS]]
    header = [cell.replace(":ref", "") for cell in header]
    rows = [header, ["---", "---", *["---:"] * len(PAIRS)]]
    for preset in PRESETS.values():
        rows += [[preset.name, name, *cells] for name, cells in _rows(preset).items()]
    return [f"| {' | '.join(row)} |" for row in rows]


def _rows(preset: Preset) -> dict[str, list[str]]:
    definitions = {**preset.without_features().mmds, **preset.variants}
    return {
        name: [_cell(preset, name, definition, *pair) for pair in PAIRS] for name, definition in definitions.items()
    }


def _cell(preset: Preset, name: str, definition: MMDDefinition, first: str, second: str) -> str:
    describe = _descriptions()
    value = VectorMMD(describe(first, definition.descriptor), definition).value(describe(second, definition.descriptor))
    if value is None:
        return "-"
    shown = f"{value:.6f}"
    published = _published(preset.name, name, f"{first}|{second.split(':')[1]}")
    if published is None:
        return shown
    difference = abs(value - published)
    return f"{shown} {'=' if difference <= 1e-5 else '~' if difference <= 3e-3 else f'(source: {published:.6f})'}"


def _published(preset: str, name: str, case: str) -> float | None:
    """Returns the first number of a source that claims to be this metric, defects that act on these fixtures aside."""
    values = json.loads((FIXTURES / "reference.json").read_text())["mmd"][case]
    for source, keys in json.loads((FIXTURES / "metric_of_source.json").read_text()).items():
        for key, claim in keys.items():
            entry = values[source].get(key)
            same = (claim["preset"], claim["metric"]) == (preset, name)
            if same and "dropped_distance_scaling" not in claim["defects"] and isinstance(entry, float):
                return entry if math.isfinite(entry) else None
    return None


@cache
def _descriptions():
    sets = {key: GraphSet(graphs, eigenvectors=True) for key, graphs in fixture_graphs().items()}

    @cache
    def describe(key: str, descriptor: Descriptor) -> Vectors:
        return descriptor(sets[key])

    return describe


def fixture_graphs() -> dict[str, list[Graph]]:
    """Returns the sets of graphs of the three families by `family:part`."""
    sets = {}
    with np.load(FIXTURES / "graphs.npz") as file:
        for family in FAMILIES:
            for part in ("ref", "gen", "train"):
                ends = np.cumsum(file[f"{family}_{part}_num_edges"].astype(int))
                edges = np.split(file[f"{family}_{part}_edges"].astype(np.int64), ends[:-1])
                sizes = file[f"{family}_{part}_num_nodes"].tolist()
                sets[f"{family}:{part}"] = [Graph.from_edges(*pair) for pair in zip(edges, sizes, strict=True)]
    return sets


if __name__ == "__main__":
    sys.exit(main())
