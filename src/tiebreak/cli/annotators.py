"""`tiebreak annotators`: who labelled, how far they agree, and whose labels to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument
from tiebreak.cli.terminal import write_json, write_remark
from tiebreak.report.formats import ENDINGS, check_table, write_table


def annotators_command(
    study: StudyArgument,
    criterion: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Criterion of the labels; repeatable.", show_default=False)
    ] = None,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Also write the annotators: {ENDINGS}.", show_default=False)
    ] = None,
) -> None:
    """Say who labelled a study, how far they agree, and whose labels to look at.

    Each annotator against the others: agreement with an interval, competence by MACE, seconds, sides, and answers that
    are always the same or another's. Then how far all agree: percentage, Fleiss' kappa, Krippendorff's alpha. Nobody is
    left out: see with compare --exclude what changes without somebody.

    Example: tiebreak annotators my-study --criterion fluency
    """
    from contextlib import nullcontext

    from tiebreak.cli.show_annotators import show_annotators
    from tiebreak.cli.terminal import console_for_messages
    from tiebreak.files import refuse_inside
    from tiebreak.panel.annotators import annotators
    from tiebreak.places import labels_that_count, study_at

    if out is not None:
        check_table(out)
        refuse_inside(study, out)
    chosen, _ = labels_that_count(study_at(study, strict=strict))
    console = console_for_messages()
    with console.status("Comparing annotators ...") if console.is_terminal else nullcontext():
        found = annotators(chosen, criteria=criterion)
    if out is not None:
        write_table(found, out)
        write_remark(f"Wrote {out}")
    if as_json:
        write_json(found.to_dict())
    else:
        show_annotators(found, everything=everything)
