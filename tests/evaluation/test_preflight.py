from sbgd.evaluation.preflight import SetSummary, warnings


def test_unusual_graphs_are_counted(shapes):
    graphs = [shapes[name] for name in ("nothing", "nothing", "two_points", "point", "star", "k4")]
    summary = SetSummary.from_graphs(graphs)
    assert summary == SetSummary(
        num_graphs=6,
        num_nodes=11,
        num_edges=9,
        zero_node_graphs=2,
        edgeless_graphs=2,
        isolated_nodes=3,
        duplicate_graphs=1,
    )
    lines = warnings("generated", summary)
    assert lines[0].startswith("generated: 2 of 6 graphs without nodes")
    assert lines[-1] == "generated: only 6 graphs, read every MMD beside its floor and interval"


def test_an_ordinary_set_has_no_warning(fixture_sets):
    assert warnings("reference", SetSummary.from_graphs(fixture_sets["planar:ref"])) == []
