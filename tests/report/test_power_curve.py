from __future__ import annotations

from tiebreak.report.figures.curves import PowerLine, power_curve


def test_every_difference_has_its_line_and_the_budget_its_own() -> None:
    lines = [PowerLine(0.1, (100, 200, 500), (0.1, 0.3, 0.9)), PowerLine(0.2, (100, 200, 500), (0.5, 0.8, 1.0))]
    axes = power_curve(lines, budget=250).axes[0]
    drawn = {str(line.get_label()): line for line in axes.get_lines()}
    assert list(drawn["difference 0.1"].get_ydata()) == [0.1, 0.3, 0.9]
    assert list(drawn["difference 0.2"].get_xdata()) == [100, 200, 500]
    assert next(iter(drawn["budget 250"].get_xdata())) == 250
    assert axes.get_xscale() == "log"
    assert len(power_curve([], budget=None).axes[0].get_lines()) == 1
