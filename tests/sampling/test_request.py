from pathlib import Path

import numpy as np
import pytest

from sbgd.errors import InputError
from sbgd.sampling import requested_sizes

TRAINING = np.array([40, 10, 30, 20])


def _sizes(spec: str | None, count: int = 4, seed: int = 0) -> list[int]:
    return requested_sizes(spec, TRAINING, count, seed).tolist()


def test_no_specification_gives_every_training_size_its_share() -> None:
    assert sorted(_sizes(None, 4)) == [10, 20, 30, 40]
    assert sorted(_sizes(None, 8)) == [10, 10, 20, 20, 30, 30, 40, 40]


def test_fewer_graphs_than_sizes_are_spread_over_the_quantiles() -> None:
    for seed in range(20):
        low, high = sorted(_sizes(None, 2, seed))
        assert low in (10, 20)
        assert high in (30, 40)


def test_an_integer_is_the_size_of_every_graph() -> None:
    assert _sizes("17", 3) == [17, 17, 17]
    assert _sizes(" 17 ", 1) == [17]


def test_a_factor_multiplies_training_sizes() -> None:
    assert sorted(_sizes("x4")) == [40, 80, 120, 160]
    assert sorted(_sizes("x0.5")) == [5, 10, 15, 20]


def test_a_range_is_closed_and_every_size_in_it_occurs() -> None:
    assert set(_sizes("5:8", 200)) == {5, 6, 7, 8}
    assert _sizes("7:7", 3) == [7, 7, 7]


@pytest.mark.parametrize("text", ['{"12": 3, "50": 1}', "12 3\n50 1\n", "\n12 3\n\n50 1\n", " 12\t3\n50 1.0"])
def test_a_histogram_is_drawn_from_by_its_counts(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sizes"
    path.write_text(text)
    drawn = np.array(_sizes(str(path), 4000))
    assert set(drawn.tolist()) == {12, 50}
    assert abs((drawn == 12).mean() - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4000)


def test_a_size_of_count_zero_is_never_drawn(tmp_path: Path) -> None:
    path = tmp_path / "sizes.txt"
    path.write_text("9 0\n11 1\n")
    assert _sizes(str(path), 50) == [11] * 50


def test_a_histogram_file_may_have_a_colon_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a:b"
    path.write_text("11 1\n")
    assert _sizes(str(path), 2) == [11, 11]


@pytest.mark.parametrize("spec", [None, "5:80", "x3"])
def test_the_seed_decides_the_draw(spec: str | None) -> None:
    assert _sizes(spec, 30, seed=4) == _sizes(spec, 30, seed=4)
    assert _sizes(spec, 30, seed=4) != _sizes(spec, 30, seed=5)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("0", "at least 1 node, got --num-nodes 0"),
        ("-5", "at least 1 node, got --num-nodes -5"),
        ("0:5", "at least 1 node, got --num-nodes 0:5"),
        ("x0", "at least 1 node, got --num-nodes x0"),
        ("x-2", "at least 1 node, got --num-nodes x-2"),
        ("x0.001", "at least 1 node, got --num-nodes x0.001"),
        ("5:3", "lo at most hi, got 5:3"),
        ("a:3", "lo:hi with integers, got a:3"),
        ("3:", "lo:hi with integers, got 3:"),
        ("1:2:3", "lo:hi with integers, got 1:2:3"),
        ("1.5:3", "lo:hi with integers, got 1.5:3"),
        ("xq", "xN with a number N, got xq"),
        ("x", "xN with a number N, got x"),
        ("xinf", "xN with a number N, got xinf"),
        ("xnan", "xN with a number N, got xnan"),
        ("+-5", "as an integer or lo:hi"),
        ("9" * 20, "as an integer or lo:hi"),
        ("1:" + "9" * 20, "as an integer or lo:hi"),
        ("", "1000, 500:2000, x4 or a histogram file"),
        ("  ", "1000, 500:2000, x4 or a histogram file"),
        ("1e3", "1000, 500:2000, x4 or a histogram file, got 1e3"),
        ("\u00b2", "1000, 500:2000, x4 or a histogram file"),
        ("missing.json", "1000, 500:2000, x4 or a histogram file, got missing.json"),
    ],
)
def test_a_wrong_specification_is_named(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _sizes(spec)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"10": 1', "expected a histogram"),
        (b'{"ten": 1}', "expected a histogram"),
        (b'{"10": null}', "expected a histogram"),
        (b'{"10": [1]}', "expected a histogram"),
        (b"[10, 20]", "expected a histogram"),
        (b"10\n20\n", "expected a histogram"),
        (b"10 1 5\n", "expected a histogram"),
        (b"10.5 1\n", "expected a histogram"),
        (b"\xff\xfe\x00", "expected a histogram"),
        (b"", "not all 0"),
        (b"{}", "not all 0"),
        (b"10 0\n", "not all 0"),
        (b"10 -1\n20 5\n", "at least 0"),
        (b"10 nan\n", "at least 0"),
        (b"10 inf\n", "at least 0"),
        (b"0 1\n", "at least 1 node"),
    ],
)
def test_a_wrong_histogram_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "histogram"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        _sizes(str(path))


def test_a_folder_is_not_a_histogram(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="histogram file"):
        _sizes(str(tmp_path))


@pytest.mark.parametrize("count", [0, -1, 2**21 + 1])
def test_a_number_of_graphs_without_streams_is_refused(count: int) -> None:
    with pytest.raises(InputError, match=r"--num-graphs of 1 .. 2097152, got "):
        _sizes("10", count)
