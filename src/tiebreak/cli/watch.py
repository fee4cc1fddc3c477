"""`tiebreak watch`: labels that keep coming, and an answer whenever anybody looks."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path
from typing import Annotated

from tiebreak.cli.campaign.options import now
from tiebreak.cli.compare import show_comparison
from tiebreak.cli.setting_options import AllOption, Changes, JsonOption, argument, option, with_changes
from tiebreak.cli.terminal import write_remark
from tiebreak.cli.writing import print_result
from tiebreak.errors import UsageError
from tiebreak.places.place import study_to_watch
from tiebreak.places.result import watched_result
from tiebreak.settings.shared import EXCLUDED
from tiebreak.watching.folder import take_look
from tiebreak.watching.settings import WatchSettings


@with_changes({"": WatchSettings})
def watch_command(
    study: Annotated[Path, argument("Folder of a study whose labels keep coming.", "STUDY")],
    *,
    changes: Changes,
    exclude: Annotated[list[str] | None, option(f"{EXCLUDED.help}; repeatable.", "GLOB")] = None,
    close: Annotated[list[str] | None, option("Close a batch whose answers are in; repeatable.", "BATCH")] = None,
    show: Annotated[bool, option("Show the last look again, without looking.", "", "--show")] = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
) -> None:
    """Look at a study whose labels keep coming, as often as you like.

    The first look fixes the question and begins the ledger looks.sqlite in the study's folder; each look adds what is
    new. The chance of a wrong verdict holds for all looks together. Look before the first label if you can: what is
    fixed then owes nothing to the labels.

    Example: tiebreak watch my-study --margin 0.1
    """
    if show and (changes[""] or exclude or close):
        raise UsageError("--show looks at nothing new: leave out the other options, or leave out --show")
    data = study_to_watch(study)
    if not show:
        new = take_look(
            study, data, changes[""], at=now(), seed=secrets.token_hex(16), exclude=exclude or (), closed=close or ()
        )
        if not new:
            write_remark("Nothing is new since the last look.")
    print_result(watched_result(study, data), partial(show_comparison, everything=everything), as_json=as_json)
