"""`tiebreak audit`: how wrong a metric or judge is."""

from __future__ import annotations

from tiebreak.auditing.settings import AuditSettings
from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument, with_settings
from tiebreak.cli.terminal import write_json


@with_settings(AuditSettings)
def audit_command(
    study: StudyArgument,
    settings: AuditSettings,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
) -> None:
    """Say how wrong a metric or judge is, by the human labels of a study.

    Changes nothing. How often it agrees with people, and people with one another; what its errors go with (length,
    markdown, side shown, system, group of items); its win rates beside people's, and corrected by them; how many labels
    that takes. Without --metric and --judge all of them.

    Example: tiebreak audit my-study --judge gpt-4o
    """
    from contextlib import nullcontext
    from dataclasses import replace

    from tiebreak.auditing.audit import audit_with
    from tiebreak.cli.show_audit import show_audit
    from tiebreak.cli.terminal import console_for_messages
    from tiebreak.places import labels_that_count, place_at, study_at
    from tiebreak.places.place import number_looked_at

    chosen, left_out = labels_that_count(study_at(study, strict=strict))
    notices = (*chosen.notices, *left_out, *number_looked_at(place_at(study)))
    console = console_for_messages()
    with console.status("Auditing ...") if console.is_terminal else nullcontext():
        found = audit_with(replace(chosen, notices=notices), settings)
    if as_json:
        write_json(found.to_dict())
    else:
        show_audit(found, everything=everything)
