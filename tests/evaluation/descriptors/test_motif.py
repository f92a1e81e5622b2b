import json
from pathlib import Path

import numpy as np
import pytest

from sbgd.evaluation.descriptors.motif import FourCycles
from sbgd.evaluation.distances import Euclidean
from sbgd.evaluation.kernels import Gaussian
from sbgd.evaluation.mmd import Grams, biased_mmd

DATA = Path(__file__).parents[2] / "data_files" / "evaluation"
MMD = json.loads((DATA / "reference.json").read_text())["mmd"]
PAIRS = [pair for pair in MMD if pair.startswith(("rgg_er", "sbm", "planar:ref|")) and "[" not in pair]


def test_only_induced_cycles_count(shapes):
    vectors = FourCycles()([shapes["square"], shapes["k4"], shapes["path"], shapes["nothing"]])
    assert vectors.tolist() == [[1], [0], [0], [0]]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_mmd_equals_that_of_digress(fixture_sets, pair):
    name, split = pair.split("|")
    x, y = (FourCycles()(fixture_sets[key]) for key in (name, f"{name.partition(':')[0]}:{split}"))
    kernel = Gaussian(Euclidean(), 1.0)
    xx, yy, xy = (np.array(kernel.gram(kernel.compare(a, b), 1.0)) for a, b in ((x, x), (y, y), (x, y)))
    assert biased_mmd(Grams(xx=xx, yy=yy, xy=xy)) == pytest.approx(MMD[pair]["digress"]["motif_4cycle_tv"], abs=1e-11)
