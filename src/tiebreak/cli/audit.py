"""`tiebreak audit`: how wrong a metric or judge is."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from tiebreak.auditing.audit import audit_with
from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument, option, with_settings
from tiebreak.cli.show_audit import show_audit
from tiebreak.cli.terminal import console_for_messages, write_json, write_remark
from tiebreak.files import check_place, refuse_inside, write_bytes
from tiebreak.places import labels_that_count, study_at
from tiebreak.report.formats import PAGE_ENDINGS, check_table, write_table
from tiebreak.results.audit_settings import AuditSettings


@with_settings(AuditSettings)
def audit_command(
    study: StudyArgument,
    settings: AuditSettings,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None,
        option(f"Also write the win rates: {PAGE_ENDINGS}, the last a page with pictures.", "FILE"),
    ] = None,
) -> None:
    """Say how wrong a metric or judge is, by the human labels of a study.

    How often it agrees with people, and people with one another; what it favours (length, markdown, side shown, a
    system); its win rates, and those corrected by people; what it can be used for. Without --metric and --judge all of
    them.

    Example: tiebreak audit my-study --judge gpt-4o --out win-rates.csv
    """
    page = out is not None and out.suffix.lower() in (".html", ".htm")
    if out is not None:
        check_place(out) if page else check_table(out, PAGE_ENDINGS)
        refuse_inside(study, out)
    chosen, left_out = labels_that_count(study_at(study, strict=strict))
    notices = (*chosen.notices, *left_out)
    console = console_for_messages()
    with console.status("Auditing ...") if console.is_terminal else nullcontext():
        found = audit_with(replace(chosen, notices=notices), settings)
    if out is not None:
        if page:
            from tiebreak.report.audit_page import audit_page

            write_bytes(out, audit_page(found).encode())
        else:
            write_table(found, out)
        write_remark(f"Wrote {out}")
    if as_json:
        write_json(found.to_dict())
    else:
        show_audit(found, everything=everything)
