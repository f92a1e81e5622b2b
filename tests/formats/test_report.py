from sbgd.formats import ReadReport


def test_only_what_happened_is_told() -> None:
    assert ReadReport().lines() == []
    report = ReadReport(edges_kept=3, self_loops_dropped=1, columns_ignored=("time",))
    assert report.lines() == ["3 edges kept", "1 self-loop dropped", "not used: time"]


def test_reports_add_up() -> None:
    total = ReadReport(edges_kept=3, columns_ignored=("time", "kind")) + ReadReport(
        edges_kept=4, comments=1, columns_ignored=("time",)
    )
    assert total == ReadReport(edges_kept=7, comments=1, columns_ignored=("time", "kind"))
