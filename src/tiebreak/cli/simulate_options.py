"""The options of `tiebreak simulate`, in the panels of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_PROTOCOL, _PEOPLE, _WORLD, _REPLAY = "Protocol", "People", "Simulated systems", "Replay"

ProtocolFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Settings of a campaign in TOML; options change it.",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Rule = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="When to stop: anytime | posterior | hoeffding | fixed.",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Chance of any wrong verdict (0.05).",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER", help="Smallest difference that matters.", show_default=False, rich_help_panel=_PROTOCOL
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="inputs (inputs like these) | items (these items only).",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Multiplicity = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Many pairs: holm | bonferroni | fdr | none (holm).",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Labelling = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Who labels an item: one | fixed | majority | max-three.",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
People = Annotated[
    int | None,
    typer.Option(metavar="N", help="People per item, for majority.", show_default=False, rich_help_panel=_PROTOCOL),
]
Pairs = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which pair is next: batches | most-informative | winner.",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Batch = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Items of a pair before the next pair (10).",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
ItemsPerPair = Annotated[
    int | None,
    typer.Option(metavar="N", help="Most items that a pair gets.", show_default=False, rich_help_panel=_PROTOCOL),
]
BudgetLabels = Annotated[
    int | None,
    typer.Option(metavar="N", help="Most labels in all.", show_default=False, rich_help_panel=_PROTOCOL),
]
BudgetMoney = Annotated[
    float | None,
    typer.Option(metavar="AMOUNT", help="Most money in all.", show_default=False, rich_help_panel=_PROTOCOL),
]
Price = Annotated[
    float | None,
    typer.Option(metavar="AMOUNT", help="Of one label.", show_default=False, rich_help_panel=_PROTOCOL),
]
Criterion = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Labels on this criterion.", show_default=False, rich_help_panel=_PROTOCOL),
]
Systems = Annotated[
    str | None,
    typer.Option(metavar="A,B,...", help="Only these systems.", show_default=False, rich_help_panel=_PROTOCOL),
]
Baseline = Annotated[
    str | None,
    typer.Option(metavar="SYSTEM", help="Only pairs with this system.", show_default=False, rich_help_panel=_PROTOCOL),
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Use this metric too; repeatable.", show_default=False, rich_help_panel=_PROTOCOL
    ),
]
Judge = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Use this judge too; repeatable.", show_default=False, rich_help_panel=_PROTOCOL),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Items: random | listed (as the study lists them).",
        show_default=False,
        rich_help_panel=_PROTOCOL,
    ),
]
Qualities = Annotated[
    str,
    typer.Option(
        metavar="A,B,...",
        help="One per system; the difference of two is P(A) - P(B) to a perfect judge.",
        rich_help_panel=_WORLD,
    ),
]
World = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Systems, items, people, metrics and judges in TOML, in place of the options below and of People.",
        show_default=False,
        rich_help_panel=_WORLD,
    ),
]
Items = Annotated[int, typer.Option(metavar="N", help="Items that there are.", rich_help_panel=_WORLD)]
Spread = Annotated[
    float, typer.Option(metavar="NUMBER", help="How much a system's outputs differ (sd).", rich_help_panel=_WORLD)
]
ClusterSize = Annotated[int, typer.Option(metavar="N", help="Items of one document.", rich_help_panel=_WORLD)]
Intraclass = Annotated[
    float,
    typer.Option(metavar="NUMBER", help="Correlation of outputs in a document.", rich_help_panel=_WORLD),
]
Correlation = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help='Of the metric "metric" with the quality of outputs.',
        show_default=False,
        rich_help_panel=_WORLD,
    ),
]
Crowd = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="People who work at the same time (10; in a replay, as many as an item needs).",
        show_default=False,
        rich_help_panel=_PEOPLE,
    ),
]
Capability = Annotated[
    str,
    typer.Option(metavar="LOW,HIGH", help="0: answers at random; 1: sees everything.", rich_help_panel=_PEOPLE),
]
Indifference = Annotated[
    float, typer.Option(metavar="NUMBER", help="Differences below it may be ties.", rich_help_panel=_PEOPLE)
]
Side = Annotated[
    float,
    typer.Option(metavar="NUMBER", help="Share of answers that take the left side blindly.", rich_help_panel=_PEOPLE),
]
Spam = Annotated[float, typer.Option(metavar="NUMBER", help="Share of answers at random.", rich_help_panel=_PEOPLE)]
Seconds = Annotated[
    float, typer.Option(metavar="NUMBER", help="Of one label, where not recorded.", rich_help_panel=_PEOPLE)
]
Hand = Annotated[int, typer.Option(metavar="N", help="Tasks that a person takes at a time.", rich_help_panel=_PEOPLE)]
Forgets = Annotated[
    float, typer.Option(metavar="NUMBER", help="Share of tasks never answered.", rich_help_panel=_PEOPLE)
]
Leaves = Annotated[
    float,
    typer.Option(metavar="NUMBER", help="Chance to leave for good after an answer.", rich_help_panel=_PEOPLE),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        metavar="STUDY",
        help="Use the labels of this study instead of simulated people.",
        show_default=False,
        rich_help_panel=_REPLAY,
    ),
]
Ratings = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Ratings: mean (of all annotators, compared) | each (annotator's own, compared).",
        rich_help_panel=_REPLAY,
    ),
]
TieThreshold = Annotated[
    float, typer.Option(metavar="NUMBER", help="Ratings this close or closer are a tie.", rich_help_panel=_REPLAY)
]
Annotators = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Only these people; repeatable.", show_default=False, rich_help_panel=_REPLAY),
]
Repetitions = Annotated[
    int | None,
    typer.Option(metavar="N", help="Campaigns (1,000 vectorised, else 100).", show_default=False),
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Of everything that is drawn.")]
Engine = Annotated[str, typer.Option(metavar="NAME", help="auto | steps (event by event) | vectorised.")]
Workers = Annotated[
    int | None,
    typer.Option(metavar="N", help="Processes (all cores); results do not depend on it.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write every run and pair: .parquet or .csv.", show_default=False),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Also draw the share decided against labels: .svg, .png or .pdf.", show_default=False
    ),
]
