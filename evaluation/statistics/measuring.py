"""Measures graphs, sets and pairs of sets by the names of the statistics asked for; nothing else is computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sbgd.errors import InputError
from sbgd.evaluation.statistics.entry import SetDistance, Statistic
from sbgd.evaluation.statistics.measurement import Measurement, mean_over_graphs, undefined
from sbgd.evaluation.statistics.profile import Profile, profiles
from sbgd.evaluation.statistics.table import DISTANCES, GRAPH_STATISTICS, STATISTICS, TABLE
from sbgd.evaluation.statistics.variants import VARIANTS
from sbgd.graph import Graph

_KNOWN = {**TABLE, **VARIANTS}
_SET_STATISTICS = tuple(name for name in STATISTICS if name in GRAPH_STATISTICS)


def graph_statistics(graph: Graph, *, names: Iterable[str] = _SET_STATISTICS, seed: int = 0) -> dict[str, Measurement]:
    """Measures one graph.

    Args:
        graph: Graph of N nodes.
        names: Statistics of `GRAPH_STATISTICS` or `VARIANTS` in the order wanted; those of `STATISTICS` by default.
        seed: Seed of what is sampled in large graphs: `TABLE` says what and when.

    Returns:
        Measurements by name.

    Raises:
        InputError: A name is unknown, or that of a distance.
    """
    return set_statistics([graph], names=names, seed=seed)


def set_statistics(
    graphs: Sequence[Graph], *, names: Iterable[str] = _SET_STATISTICS, seed: int = 0
) -> dict[str, Measurement]:
    """Measures a set: means over the graphs where a statistic is defined, with the standard deviation as spread.

    Args:
        graphs: Any number of graphs; of a single one the spreads are the standard errors of sampled values.
        names: As in `graph_statistics`.
        seed: As in `graph_statistics`.

    Returns:
        Measurements by name; the reason counts the graphs left out.

    Raises:
        InputError: A name is unknown, or that of a distance.
    """
    statistics = [_statistic(name) for name in names]
    measured = [[_measured(statistic, profile) for statistic in statistics] for profile in profiles(graphs, seed=seed)]
    columns = zip(*measured, strict=True) if measured else [()] * len(statistics)
    return {
        statistic.name: column[0] if len(column) == 1 else mean_over_graphs(column)
        for statistic, column in zip(statistics, columns, strict=True)
    }


def set_distances(
    generated: Sequence[Graph], reference: Sequence[Graph], *, names: Iterable[str] = DISTANCES, seed: int = 0
) -> dict[str, Measurement]:
    """Compares two sets, or two graphs as sets of one.

    Args:
        generated: Graphs to judge.
        reference: Graphs to judge them by.
        names: Distances of `DISTANCES` or `VARIANTS` in the order wanted.
        seed: Seed of the sampled spectral density of large graphs.

    Returns:
        Measurements by name.

    Raises:
        InputError: A name is unknown, or that of a statistic of single graphs.
    """
    distances = [_distance(name) for name in names]
    return {distance.name: distance.measure(generated, reference, seed) for distance in distances}


def applicable_statistics(graphs: Sequence[Graph]) -> tuple[str, ...]:
    """Returns the names of `GRAPH_STATISTICS` whose needs, labels or features, every graph with nodes meets."""
    lacking = {need for need in ("labels", "features") if any(g.num_nodes and getattr(g, need) is None for g in graphs)}
    return tuple(name for name in GRAPH_STATISTICS if not lacking & set(TABLE[name].needs))


def _measured(statistic: Statistic, profile: Profile) -> Measurement:
    return statistic.measure(profile) if profile.graph.num_nodes else undefined("the graph has no nodes")


def _statistic(name: str) -> Statistic:
    entry = _KNOWN.get(name)
    if not isinstance(entry, Statistic):
        raise InputError(
            f"expected a statistic of single graphs, got {name!r}; choose from {', '.join(GRAPH_STATISTICS)}"
        )
    return entry


def _distance(name: str) -> SetDistance:
    entry = _KNOWN.get(name)
    if not isinstance(entry, SetDistance):
        raise InputError(f"expected a distance between sets, got {name!r}; choose from {', '.join(DISTANCES)}")
    return entry
