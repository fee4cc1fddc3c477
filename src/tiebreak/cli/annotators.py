"""`tiebreak annotators`: who labelled, how far they agree, and whose labels to look at."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, cast

from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument, option
from tiebreak.cli.show_annotators import show_annotators
from tiebreak.cli.terminal import console_for_messages, write_json, write_remark
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.files import refuse_inside
from tiebreak.panel.aggregated import Aggregation, aggregated
from tiebreak.panel.annotators import annotators
from tiebreak.places import labels_that_count, study_at
from tiebreak.report.formats import ENDINGS, check_table, write_table


def annotators_command(
    study: StudyArgument,
    criterion: Annotated[list[str] | None, option("Criterion of the labels; repeatable.", "NAME")] = None,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[Path | None, option(f"Also write the annotators: {ENDINGS}.", "FILE")] = None,
    aggregate: Annotated[
        str | None,
        option(
            "Write the study with one label for each question, by a model of annotators, into --into: mace | "
            "dawid-skene.",
            "NAME",
        ),
    ] = None,
    into: Annotated[Path | None, option("New folder for --aggregate.", "FOLDER")] = None,
) -> None:
    """Say who labelled a study, how far they agree, and whose labels to look at.

    Each annotator against the others: agreement with an interval, competence by MACE, seconds, sides, and answers that
    are always the same or another's. Then how far all agree: percentage, Fleiss' kappa, Krippendorff's alpha. Nobody is
    left out: see with compare --exclude what changes without somebody.

    Example: tiebreak annotators my-study --criterion fluency

    Example: tiebreak annotators my-study --aggregate mace --into one-label-each
    """
    if (aggregate is None) != (into is None):
        raise UsageError("--aggregate and --into go together: a model, and a new folder for the study that it gives")
    if out is not None:
        check_table(out)
        refuse_inside(study, out)
    chosen, _ = labels_that_count(study_at(study, strict=strict))
    console = console_for_messages()
    with console.status("Comparing annotators ...") if console.is_terminal else nullcontext():
        found = annotators(chosen, criteria=criterion)
        if aggregate is not None and into is not None:
            write_study(aggregated(chosen, cast(Aggregation, aggregate)), into)
            write_remark(f"Wrote {into}: one label for each question, by {aggregate}")
    if out is not None:
        write_table(found, out)
        write_remark(f"Wrote {out}")
    if as_json:
        write_json(found.to_dict())
    else:
        show_annotators(found, everything=everything)
