"""The scripts of the evaluation run, and the tables they write are up to date."""

import json
import subprocess
import sys
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[2]


def run(*words):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False)


def test_the_tables_of_the_presets_are_up_to_date():
    done = run(ROOT / "scripts" / "tabulate_presets.py", "--check")
    assert done.returncode == 0, done.stderr


def test_the_benchmark_runs_without_its_peer(tmp_path):
    graphs = [nx.gnp_random_graph(12, 0.3, seed=seed) for seed in range(8)]
    listed = [{"n": 12, "edges": [list(edge) for edge in graph.edges]} for graph in graphs]
    (tmp_path / "graphs.json").write_text(json.dumps({"ref": listed[:4], "gen": listed[4:]}))
    script = ROOT / "scripts" / "benchmark_evaluation.py"
    done = run(script, "--graphs", tmp_path / "graphs.json", "--repetitions", 1)
    assert done.returncode == 0, done.stderr
    for name in ("degree", "clustering", "orbit", "spectral", "wavelet"):
        assert name in done.stdout
