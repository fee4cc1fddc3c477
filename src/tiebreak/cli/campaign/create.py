"""`tiebreak campaign create`: fix everything that must be fixed before the first label."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import now


def create_command(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Folder with the texts to compare.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="CAMPAIGN", help="The new folder.", show_default=False)],
    protocol: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings in a TOML file; options change it.", show_default=False),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Only these systems.", show_default=False)
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Only pairs with this system.", show_default=False)
    ] = None,
    criterion: Annotated[
        str | None, typer.Option(metavar="NAME", help="What is judged, for the exported labels.", show_default=False)
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help='What people are asked: "Which text is better?".', show_default=False),
    ] = None,
    instructions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A text file for the first page.", show_default=False)
    ] = None,
    ties: Annotated[
        bool | None,
        typer.Option("--ties/--no-ties", help="Whether people may see no difference (they may).", show_default=False),
    ] = None,
    hide: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Do not show input, context or reference; repeatable.", show_default=False),
    ] = None,
    labelling: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Who labels an item: one | fixed | majority | max-three.", show_default=False
        ),
    ] = None,
    people: Annotated[
        int | None, typer.Option(metavar="N", help="People per item, for majority.", show_default=False)
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which pair is asked next: batches | most-informative | winner.", show_default=False
        ),
    ] = None,
    batch: Annotated[
        int | None, typer.Option(metavar="N", help="Items of a pair before the next pair (10).", show_default=False)
    ] = None,
    items_per_pair: Annotated[
        int | None, typer.Option(metavar="N", help="Most items that a pair gets.", show_default=False)
    ] = None,
    budget_labels: Annotated[
        int | None, typer.Option(metavar="N", help="Most labels in all.", show_default=False)
    ] = None,
    budget_money: Annotated[
        float | None, typer.Option(metavar="AMOUNT", help="Most money in all.", show_default=False)
    ] = None,
    price: Annotated[
        float | None, typer.Option(metavar="AMOUNT", help="Of one label (the study's).", show_default=False)
    ] = None,
    currency: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Of prices (the study's, or $).", show_default=False)
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="When to stop: anytime | posterior | hoeffding | fixed.", show_default=False),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Chance of any wrong verdict (0.05).", show_default=False)
    ] = None,
    multiplicity: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Many pairs: holm | bonferroni | fdr | none (holm).", show_default=False),
    ] = None,
    margin: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Smallest difference that matters.", show_default=False)
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="inputs (inputs like these) | items (these items only).", show_default=False),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Use this metric too; repeatable.", show_default=False)
    ] = None,
    judge: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Use this judge too; repeatable.", show_default=False)
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Until an unanswered task is asked of others (48).", show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Of the sealed order of items (drawn at random).", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.", show_default=False)] = False,
) -> None:
    """Begin a campaign: a folder with its protocol, a copy of the study's texts, and an empty log.

    The protocol cannot be changed afterwards, because the error rate of a verdict holds for what was fixed before the
    first label. Labels that the study has already are not used.

    Example: tiebreak campaign create my-study -o my-campaign --price 0.10 --budget-labels 2000
    """
    from tiebreak.cli.campaign.protocol_settings import file_settings, protocol_for, text_of
    from tiebreak.cli.campaign.show_created import created_document, show_created
    from tiebreak.cli.options import names
    from tiebreak.data.readers import read_study
    from tiebreak.live import create_campaign, open_campaign
    from tiebreak.live.folder import check_hidden

    listed = names(systems)
    given: dict[str, dict[str, object]] = {
        "": {
            "systems": None if listed is None else tuple(listed),
            "baseline": baseline,
            "criterion": criterion,
            "question": question,
            "instructions": None if instructions is None else text_of(instructions),
        },
        "labels": {"policy": labelling, "annotators": people, "ties": ties, "price": price, "currency": currency},
        "pairs": {"policy": pairs, "batch": batch},
        "budget": {"labels": budget_labels, "money": budget_money, "items_per_pair": items_per_pair},
        "decision": {
            "rule": rule,
            "alpha": alpha,
            "multiplicity": multiplicity,
            "margin": margin,
            "target": target,
            "metrics": tuple(metric) if metric else None,
            "judges": tuple(judge) if judge else None,
        },
        "people": {"hours": hours},
        "order": {"seed": seed},
    }
    hidden = check_hidden(hide or [])
    base, said = file_settings(protocol)
    data = read_study(study)
    create_campaign(out, protocol_for(base, said, given, data), data, at=now(), hidden=hidden)
    campaign = open_campaign(out)
    if as_json:
        sys.stdout.write(json.dumps(created_document(campaign), ensure_ascii=False, allow_nan=False) + "\n")
    else:
        show_created(campaign)
