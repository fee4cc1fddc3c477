"""`tiebreak check`: what a study holds, what can be computed from it, and what looks wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from tiebreak.checks.study_check import check
from tiebreak.cli.setting_options import StrictOption, StudyArgument, option
from tiebreak.cli.show_check import show_check, show_next
from tiebreak.cli.terminal import write_json
from tiebreak.live.export import origin_of
from tiebreak.places import labels_that_count, place_at, study_at
from tiebreak.settings.checks import read_names


def check_command(
    study: StudyArgument,
    annotators: Annotated[
        list[str] | None,
        option("Only these people, such as 'expert_*'; repeatable.", "GLOB"),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        option("Leave out these people, such as 'bot_*'; repeatable.", "GLOB"),
    ] = None,
    systems: Annotated[str | None, option("Only these systems.", "A,B,...")] = None,
    strict: StrictOption = False,
    as_json: Annotated[bool, option("Print one JSON document, with every system.", "", "--json")] = False,
) -> None:
    """Check a study before comparing: what it holds, what can be computed, and what looks wrong.

    Changes nothing.

    Example: tiebreak check my-study --annotators 'expert_*'
    """
    kind = place_at(study).kind
    campaign = origin_of(study).campaign if kind == "export" else None
    chosen, left_out = labels_that_count(study_at(study, strict=strict))
    if left_out:
        chosen = replace(chosen, notices=(*chosen.notices, *left_out))
    if systems is not None or annotators or exclude:
        wanted = None if systems is None else read_names(systems)
        chosen = chosen.select(systems=wanted, annotators=annotators or None, exclude=exclude or None)
    checked = replace(check(chosen, campaign), watched=kind == "watched")
    if as_json:
        write_json(checked.to_dict())
    else:
        show_check(checked)
        if kind == "study":
            show_next(checked, study)
