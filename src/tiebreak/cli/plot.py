"""`tiebreak plot`: one picture of a comparison, for a paper."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli import comparison_options as options
from tiebreak.report.kinds import KINDS

_LISTED = ", ".join(f"{name} ({words})" for name, words in KINDS.items())


def plot_command(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of: {_LISTED}.", show_default=False)],
    study: options.StudyArgument,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write it: .svg, .png or .pdf.", show_default=False),
    ],
    pair: Annotated[
        str | None, typer.Option(metavar="A,B", help="The pair whose evidence to draw.", show_default=False)
    ] = None,
    rule: options.Rule = "anytime",
    alpha: options.Alpha = 0.05,
    tie_threshold: options.TieThreshold = 0.0,
    margin: options.Margin = None,
    target: options.TargetName = "inputs",
    criterion: options.Criteria = None,
    several: options.Several = "mean",
    annotators: options.Annotators = None,
    multiplicity: options.MultiplicityName = "holm",
    systems: options.Systems = None,
    baseline: options.Baseline = None,
    seed: options.Seed = 0,
    metric: options.Metrics = None,
    judge: options.Judges = None,
    metric_tie_threshold: options.MetricTieThreshold = 0.0,
    human: options.Human = True,
    items_per_pair: options.ItemsPerPair = None,
) -> None:
    """Compare the systems of a study and write one picture of the result as SVG, PNG or PDF.

    The options are those of compare; of several criteria name one with --criterion.

    Example: tiebreak plot evidence my-study --pair gpt-4,claude -o evidence.svg
    """
    from tiebreak.cli.options import names
    from tiebreak.comparison.compare import compare_with
    from tiebreak.data.readers import read_study
    from tiebreak.report.figures.canvas import check_figure_path, save
    from tiebreak.report.kinds import check_kind, draw
    from tiebreak.report.tables import refuse_inside

    check_kind(kind)
    check_figure_path(out)
    refuse_inside(study, out)
    settings = options.settings_from(
        rule=rule,
        alpha=alpha,
        tie_threshold=tie_threshold,
        margin=margin,
        target=target,
        criterion=criterion,
        several=several,
        annotators=annotators,
        multiplicity=multiplicity,
        systems=systems,
        baseline=baseline,
        seed=seed,
        metric=metric,
        judge=judge,
        metric_tie_threshold=metric_tie_threshold,
        human=human,
        items_per_pair=items_per_pair,
    )
    data = read_study(study)
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        save(draw(kind, compare_with(data, settings), data, names(pair)), out)
    glyphs = [warning for warning in raised if "missing from font" in str(warning.message)]
    for warning in raised:
        if warning not in glyphs:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if glyphs:
        sys.stderr.write("No installed font has all characters of the names: those without one are drawn as boxes.\n")
    sys.stderr.write(f"Wrote {out}\n")
