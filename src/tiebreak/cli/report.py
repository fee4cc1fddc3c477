"""`tiebreak report`: the verdicts on a study as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli import comparison_options as options


def report_command(
    study: options.StudyArgument,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write it: .html.", show_default=False)
    ],
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
    """Compare the systems of a study and write the verdicts, with pictures, as one HTML file.

    The file needs no network and no other file: mail it, print it, open it on a phone. The options are those of
    compare.

    Example: tiebreak report my-study -o report.html
    """
    from tiebreak.comparison.compare import compare_with
    from tiebreak.data.readers import read_study
    from tiebreak.report.document import check_report_path, html
    from tiebreak.report.tables import refuse_inside

    check_report_path(out)
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
    html(compare_with(data, settings), out, data)
    sys.stderr.write(f"Wrote {out}\n")
