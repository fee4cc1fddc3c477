"""`tiebreak doctor`: what a study holds, what it supports, what blocks the rest, what looks wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from tiebreak.cli.setting_options import StrictOption, StudyArgument
from tiebreak.cli.terminal import write_json


def doctor_command(
    study: StudyArgument,
    annotators: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Only these people, such as 'expert_*'; repeatable.", show_default=False),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Leave out these people, such as 'bot_*'; repeatable.", show_default=False),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Only these systems.", show_default=False)
    ] = None,
    strict: StrictOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with every pair.")] = False,
) -> None:
    """Examine a study before comparing: what it holds, supports and lacks, and what looks wrong in it.

    Changes nothing. Says which differences the labels of each pair could
    decide, how many more labels would find smaller ones, and which annotators,
    outputs or orders of labels deserve a look.

    Example: tiebreak doctor my-study --annotators 'expert_*'
    """
    from dataclasses import replace

    from tiebreak.cli.show_diagnosis import show_diagnosis, show_next
    from tiebreak.diagnosis.doctor import doctor
    from tiebreak.live.export import origin_of, pairs_asked
    from tiebreak.places import labels_that_count, place_at, study_at
    from tiebreak.settings.checks import read_names

    kind = place_at(study).kind
    campaign = origin_of(study).campaign if kind == "export" else None
    chosen, left_out = labels_that_count(study_at(study, strict=strict))
    if left_out:
        chosen = replace(chosen, notices=(*chosen.notices, *left_out))
    if systems is not None or annotators or exclude:
        wanted = None if systems is None else read_names(systems)
        chosen = chosen.select(systems=wanted, annotators=annotators or None, exclude=exclude or None)
    pairs = None if campaign is None else pairs_asked(study, chosen.systems)
    diagnosis = replace(doctor(chosen, campaign, pairs), watched=kind == "watched")
    if as_json:
        write_json(diagnosis.to_dict())
    else:
        show_diagnosis(diagnosis)
        if kind == "study":
            show_next(diagnosis, study)
