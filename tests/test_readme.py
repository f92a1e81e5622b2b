"""The README works: every command and every snippet in it is run, and what it says of names and files is true.

A section of the README is one test: its blocks run in order in a folder of their own, which holds a copy of `configs/`
and the files that the section takes for granted. Training is cut to two steps, sampling to two, millions of nodes to
3,000.
"""

import re
import runpy
import shlex
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest
from packaging.specifiers import SpecifierSet

from sbgd import cli
from sbgd.data.sources import dataset_names
from sbgd.formats import FORMATS
from sbgd.models.bundled import bundled_models

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()

SHORTER = {
    "fit": [
        "--trainer.max_steps",
        "2",
        "--data.init_args.steps_per_epoch",
        "2",
        "--trainer.enable_progress_bar",
        "false",
    ],
    "sample": ["--steps", "2"],
    "evaluate": ["--baselines", "none"],
    "report": ["--baselines", "none"],
}
SMALLER = {"Millions of nodes": {"sample": ["--num-nodes", "3000"]}}
TAKES_LONG = {"Sample", "In Python"}
NOT_RUN = "source .venv/bin/activate"


@dataclass(frozen=True)
class Block:
    """A fenced block and the section it stands in."""

    section: str
    language: str
    text: str


def _blocks() -> list[Block]:
    blocks, section = [], ""
    for match in re.finditer(
        r"^## (?P<section>[^\n]+)$|^```(?P<language>\w*)\n(?P<text>.*?)^```$", README, re.M | re.S
    ):
        if match["section"]:
            section = match["section"]
        else:
            blocks.append(Block(section, match["language"], match["text"]))
    return blocks


BLOCKS = _blocks()
RUNNABLE = [block for block in BLOCKS if block.language in ("sh", "python")]
SECTIONS = list(dict.fromkeys(block.section for block in RUNNABLE))


def _commands(block: Block) -> list[list[str]]:
    return [shlex.split(line, comments=True) for line in block.text.replace("\\\n", " ").splitlines() if line.strip()]


def _run(command: list[str], section: str = "") -> None:
    if command[0] == "sbgd":
        changes = SHORTER.get(command[1], []) + SMALLER.get(section, {}).get(command[1], [])
        assert cli.main([*command[1:], *changes]) == 0, command
    elif command[0] == "make":
        _check_target(command)
    else:
        install = [".venv/bin/python", "-m", "pip", "install"]
        assert command[:4] == install or command == ["python3", "-m", "venv", ".venv"], f"nothing runs {command}"


def _check_target(command: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text()
    target, *variables = command[1:]
    assert re.search(rf"^{re.escape(target)}:", makefile, re.M), f"no target {target}"
    for variable in variables:
        assert re.search(rf"^{variable.partition('=')[0]} \?=", makefile, re.M), f"no variable {variable}"


def _needs_bundled_model(blocks: list[Block]) -> bool:
    return any("--checkpoint cora" in block.text or 'find_model("cora")' in block.text for block in blocks)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a user has it: the configurations, and graphs of one's own."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    edges = [f"n{u},n{v}\n" for u, v in nx.connected_caveman_graph(12, 8).edges()]
    (tmp_path / "my.csv").write_text("".join(["source,target\n", *edges]))
    (tmp_path / "raw.txt").write_text("ann bob 0.5\nbob ann 0.5\nbob bob 1\nbob eve 2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "section",
    [pytest.param(name, marks=pytest.mark.slow if name in TAKES_LONG else ()) for name in SECTIONS],
)
def test_every_block_of_a_section_runs(section: str, workplace: Path) -> None:
    blocks = [block for block in RUNNABLE if block.section == section]
    if _needs_bundled_model(blocks) and "cora" not in bundled_models():
        pytest.skip("checkpoints/cora/model.json is not there")
    for number, block in enumerate(blocks):
        if block.language == "python":
            script = workplace / f"snippet_{number}.py"
            script.write_text(block.text)
            runpy.run_path(str(script))
        else:
            for command in _commands(block):
                _run(command, section)


@pytest.mark.slow
def test_quickstart_leaves_what_the_readme_lists(workplace: Path) -> None:
    recipe = subprocess.run(["make", "-n", "-C", ROOT, "quickstart"], capture_output=True, text=True, check=True).stdout
    commands = [shlex.split(line) for line in recipe.splitlines() if line.startswith(".venv/bin/sbgd ")]
    assert len(commands) == 5
    for command in commands:
        _run(["sbgd", *command[1:]])
    listed = re.findall(r"It leaves in `(runs/quickstart/)`\n(.+?)\n\n`make test`", README, re.S)
    folder, names = workplace / listed[0][0], re.findall(r"`([\w.]+/?)`", listed[0][1])
    assert "model.json" in names
    assert "samples_4x/" in names
    samples = {"graphs.npz", "manifest.json"}
    assert [name for name in names if name not in samples and not (folder / name).exists()] == []
    assert all((folder / f"samples_{size}x" / name).is_file() for size in (1, 4) for name in samples)


def test_blocks_are_of_a_known_language() -> None:
    assert {block.language for block in BLOCKS} <= {"sh", "python", "text", "bibtex"}


def test_no_command_writes_where_another_has_written() -> None:
    text = "".join(block.text for block in RUNNABLE)
    for option in ("--out", "--run_dir", "--convert", "--json"):
        folders = re.findall(rf"{option} (\S+)", text)
        assert folders
        assert len(folders) == len(set(folders))


def test_slow_sections_exist() -> None:
    assert set(SECTIONS) >= TAKES_LONG


def test_commands_in_the_text_exist() -> None:
    quoted = re.findall(r"`((?:sbgd|make|source) [^`]+)`", re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S))
    commands = [shlex.split(text) for text in quoted if text != NOT_RUN]
    assert commands
    for command in commands:
        if command[0] == "make":
            _check_target(command)
        else:
            assert command[1] in (*cli.VERBS, *cli.TRAINING_VERBS)


def test_the_torch_to_install_first_is_one_that_pyproject_takes() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    bounds = next(line.removeprefix("torch") for line in declared if re.match(r"torch[<>=]", line))
    pinned = re.findall(r'"torch==([\d.]+)"', README)
    assert pinned
    assert all(version in SpecifierSet(bounds) for version in pinned)
    assert f"`{bounds}`" in README


def test_the_table_of_formats_is_that_of_the_registry() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (yes|no) \| (yes|no) \|$", README, re.M)
    assert {name: (read, written) for name, _, read, written in rows} == {
        name: ("yes", "yes" if entry.write else "no") for name, entry in FORMATS.items()
    }
    suffixes = {name: set(re.findall(r"`(\.\w+)`", files)) for name, files, _, _ in rows}
    assert suffixes == {name: set(entry.suffixes) for name, entry in FORMATS.items()}


def test_data_sets_of_the_text_are_known() -> None:
    names = re.findall(r"`(\w+)`", re.findall(r"^## Data sets by name\n(.+?)^## ", README, re.M | re.S)[0])
    assert {"cora", "planar", "sbm", "tree"} <= set(names)
    assert set(names) - {"sbgd"} <= set(dataset_names())


def test_links_lead_to_files() -> None:
    for document in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "DECISIONS.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / document).read_text()):
            assert (ROOT / target).exists(), f"{document}: {target}"


def test_files_that_contributors_are_sent_to_exist() -> None:
    quoted = re.findall(r"`((?:\w+/)+[\w.]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    missing = [path for path in quoted if "NAME" not in path and not (ROOT / path).exists()]
    assert missing == []
