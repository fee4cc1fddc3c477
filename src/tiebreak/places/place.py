"""What lies at a path: a study, watched or not, a campaign, or the export of one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tiebreak.data.readers import read_study
from tiebreak.data.schema import TABLES
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.importers.plans import plan_files, refuse_open
from tiebreak.importers.reading import imported
from tiebreak.live.export import NotCounted, is_export, not_counted, rests_on
from tiebreak.live.folder import PROTOCOL_FILE, has_log
from tiebreak.numbers import command, counted
from tiebreak.watching.folder import is_watched

PlaceKind = Literal["study", "watched", "campaign", "export"]


@dataclass(frozen=True, slots=True)
class Place:
    """A folder and what it is: `study`: tables; `watched`: tables with the ledger of the looks at them; `campaign`: as
    `campaign create` made it; `export`: tables with the campaign that they come from.
    """

    path: Path
    kind: PlaceKind


def place_at(path: Path) -> Place:
    """What lies at a path. Whether all of it is in order is found out by whoever reads it.

    Raises:
        InputError: nothing lies there.
    """
    if is_table(path):
        return Place(path, "study")
    if not path.exists():
        near = [entry.name for entry in path.parent.iterdir() if entry.is_dir()] if path.parent.is_dir() else []
        raise InputError([Problem(str(path), f"no such folder{did_you_mean(path.name, near)}")])
    if (path / PROTOCOL_FILE).is_file() and has_log(path):
        return Place(path, "campaign")
    if is_export(path):
        return Place(path, "export")
    return Place(path, "watched" if is_watched(path) else "study")


def study_to_watch(path: Path) -> Study:
    """The study at a path whose labels may keep coming.

    Raises:
        InputError: as `study_at` does; or an export, whose labels are those of a campaign, withdrawn and late ones too,
            or its tables alone, with such labels, before the first look.
    """
    kind = place_at(path).kind
    if kind == "export":
        what = f"this is the export of a campaign, whose looks are the campaign's own: {command('compare', path)}"
        raise InputError([Problem(str(path), what)])
    study = study_at(path, folder=True)
    marked = len(left_out_of(study).all)
    if marked and kind != "watched":
        what = (
            f"{counted(marked, 'label')} that a look would count {'does' if marked == 1 else 'do'} not count in the "
            "campaign that these tables are from (columns late, withdrawn and set_aside): put its folder campaign back "
            "beside them to have its own verdict, or take these rows out"
        )
        raise InputError([Problem(str(path), what)])
    return study


def left_out_of(study: Study) -> NotCounted:
    """Tasks whose labels do not count in the campaign that they are from; a study has one kind of them."""
    return not_counted(study.preferences if study.ratings is None else study.ratings)


def study_to_add_to(path: Path) -> Study:
    """The study at a path, watched or not, to which rows may be added.

    Raises:
        InputError: as `study_at` does; or an export, whose labels are those of a campaign.
    """
    if place_at(path).kind == "export":
        what = (
            "this is the export of a campaign, whose labels come from its log alone: "
            f"{command('campaign', 'collect', 'CAMPAIGN', 'SHEET')}"
        )
        raise InputError([Problem(str(path), what)])
    return study_at(path, folder=True)


def check_free(path: Path, names: Collection[str]) -> None:
    """Nothing may be written under a name that the verdict of an export rests on.

    Raises:
        UsageError: one of these names is such.
    """
    used = [name for name in names if name in rests_on(path)] if is_export(path) else []
    if used:
        raise UsageError(
            f"{path} is the export of a campaign whose verdict rests on {used[0]} as it was: nothing may be "
            "added to it or replaced. Give what is new another name, which an own analysis can use"
        )


def refuse_own_analysis(path: Path, asked: bool) -> None:
    """Raise UsageError where an own analysis is asked of a plain study, which has no other."""
    if asked:
        what = "--own-analysis is for a campaign, its export or a watched study"
        raise UsageError(f"{what}; {path} is a study: leave it out")


def is_table(path: Path) -> bool:
    """Whether a path is a file (`FILE.xlsx#Sheet` too) that is read on the fly, and no table of a study."""
    named = path if path.is_file() else Path(str(path).rpartition("#")[0])
    return named.is_file() and named.stem not in TABLES


def study_at(path: Path, *, strict: bool = False, folder: bool = False) -> Study:
    """The study at a path, or in the tables of an export; `strict` refuses rows that repeat others. A file is read as
    `tiebreak import` does, unless something will be written beside its tables (`folder`).

    Raises:
        InputError: nothing lies there, or it is damaged, or a campaign, whose labels are no table yet.
        UsageError: a file of which it is not known what its columns are.
    """
    if is_table(path) and not folder:
        plans = plan_files([str(path)])
        refuse_open(plans)
        return imported(plans, path.stem).study
    if place_at(path).kind == "campaign":
        show, export = command("campaign", "status", path), command("campaign", "export", path, "-o", "EXPORT")
        what = f"this is a campaign, not a study. To see how it stands: {show}; to make a study of its labels: {export}"
        raise InputError([Problem(str(path), what)])
    return read_study(path, strict=strict)


def study_behind(path: Path) -> Study | None:
    """The study at a path, for whoever shows its texts; None of a campaign, which keeps its study to itself.

    Raises:
        InputError, UsageError: as `study_at`.
    """
    return None if not is_table(path) and place_at(path).kind == "campaign" else study_at(path)
