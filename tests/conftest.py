"""What every test shares: one thread, a cache of its own, and the data sets beside the checkout."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keeps the tests out of the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SBGD_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Returns the folder of data sets beside the checkout."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no data sets at {SHARED_DATA}")
    return SHARED_DATA
