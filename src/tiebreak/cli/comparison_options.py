"""The options that decide how a study is compared, for every command that compares one before it shows something."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.results.settings import CompareSettings

StudyArgument = Annotated[
    Path, typer.Argument(metavar="STUDY", help="Folder with the study's tables.", show_default=False)
]
Rule = Annotated[str, typer.Option(metavar="NAME", help="anytime | fixed | hoeffding | dirichlet | posterior.")]
Alpha = Annotated[
    float, typer.Option(metavar="NUMBER", help="Chance of any wrong verdict (Hoeffding's d, Dirichlet's gamma).")
]
TieThreshold = Annotated[float, typer.Option(metavar="NUMBER", help="Ratings this close or closer are a tie.")]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Smallest difference that matters; without it nothing is called equivalent.",
        show_default=False,
    ),
]
TargetName = Annotated[str, typer.Option(metavar="NAME", help="inputs (inputs like these) | items (these items only).")]
Criteria = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only this criterion; repeatable.", show_default=False)
]
Several = Annotated[
    str, typer.Option(metavar="NAME", help="Several labels on an item: mean | majority | first (earliest).")
]
Annotators = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Only these people, such as 'expert_*'; repeatable.", show_default=False),
]
MultiplicityName = Annotated[str, typer.Option(metavar="NAME", help="Many pairs: holm | bonferroni | fdr | none.")]
Systems = Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these systems.", show_default=False)]
Baseline = Annotated[
    str | None, typer.Option(metavar="SYSTEM", help="Only pairs with this system.", show_default=False)
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Of the random order of items; fix it before looking.")]
Metrics = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Use this metric too (or: all); repeatable.", show_default=False),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Use this judge too (or: all); repeatable.", show_default=False),
]
MetricTieThreshold = Annotated[
    float, typer.Option(metavar="NUMBER", help="Metric scores this close or closer are a tie.")
]
Human = Annotated[
    bool, typer.Option("--human/--no-human", help="Without human labels: what not to do, for comparison.")
]

ItemsPerPair = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Items of a pair that will ever be labelled at most; fix it before the first label.",
        show_default=False,
    ),
]


def settings_from(
    *,
    rule: str,
    alpha: float,
    tie_threshold: float,
    margin: float | None,
    target: str,
    criterion: list[str] | None,
    several: str,
    annotators: list[str] | None,
    multiplicity: str,
    systems: str | None,
    baseline: str | None,
    seed: int,
    metric: list[str] | None,
    judge: list[str] | None,
    metric_tie_threshold: float,
    human: bool,
    items_per_pair: int | None,
) -> CompareSettings:
    """The options as settings.

    Raises:
        UsageError: an impossible value.
    """
    from tiebreak.cli.options import names

    listed = names(systems)
    return CompareSettings(
        rule=rule,
        alpha=alpha,
        tie_threshold=tie_threshold,
        margin=margin,
        target=target,  # type: ignore[arg-type]  # checked by CompareSettings
        criteria=tuple(criterion) if criterion else None,
        several=several,  # type: ignore[arg-type]
        annotators=tuple(annotators) if annotators else None,
        multiplicity=multiplicity,  # type: ignore[arg-type]
        systems=None if listed is None else tuple(listed),
        baseline=baseline,
        seed=seed,
        metrics=tuple(metric or ()),
        judges=tuple(judge or ()),
        metric_tie_threshold=metric_tie_threshold,
        human=human,
        items_per_pair=items_per_pair,
    )
