"""The page in a headless browser; screenshots stay in the folder that pytest keeps, or in `$SBGD_TEST_ARTEFACTS`."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from sbgd.cli import main

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="needs Chromium")]

QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--enable-logging=stderr",
)  # fmt: skip
DARK = ("--blink-settings=preferredColorScheme=0",)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    sample = ["sample", "--checkpoint", "cora", "--num-nodes", "300", "--steps", "4", "--out", str(folder / "samples")]
    assert main(sample) == 0
    report = ["report", str(folder / "samples"), "--reference", "cora", "--train", "cora", "--checkpoint", "cora"]
    assert main([*report, "--baselines", "erdos_renyi", "--out", str(folder / "page.html")]) == 0
    return folder / "page.html"


def run(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(BROWSER), *QUIET, f"--user-data-dir={page.parent / 'profile'}", *arguments, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def test_the_page_opens_without_an_error_or_a_request(page: Path) -> None:
    """The page forbids requests; one that was tried, and every script error, is a line of the console."""
    found = run(page, "--dump-dom")
    assert ":CONSOLE" not in found.stderr
    for section in ("Summary", "Blocks", "Distributions", "Metrics", "Denoising", "Memorisation", "Run record"):
        assert f">{section}</a>" in found.stdout
    assert found.stdout.count("<svg") >= 10


def test_the_console_tells_of_a_request_that_is_tried(page: Path) -> None:
    other = page.with_name("other.html")
    other.write_text(page.read_text().replace("</main>", '<img src="https://localhost/x.png" alt="x"></main>'))
    assert ":CONSOLE" in run(other, "--dump-dom").stderr


@pytest.mark.parametrize(("scheme", "options"), [("light", ()), ("dark", DARK)])
@pytest.mark.parametrize("width", [500, 1280])
def test_screenshots(page: Path, tmp_path: Path, width: int, scheme: str, options: tuple[str, ...]) -> None:
    folder = Path(os.environ.get("SBGD_TEST_ARTEFACTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"report-{width}-{scheme}.png"
    run(page, f"--window-size={width},5000", f"--screenshot={target}", *options)
    head = target.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    assert struct.unpack(">II", head[16:]) == (width, 5000)
    assert target.stat().st_size > 50_000
