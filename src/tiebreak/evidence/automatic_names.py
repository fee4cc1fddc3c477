"""Which metrics and judges serve a criterion, and why one that is named does not."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.records import Kind


def known_metrics(study: Study, criterion: str | None) -> tuple[str, ...]:
    """Metrics that serve a criterion: scored on it, or on none in particular."""
    return _names(study.scores, "metric", criterion)


def known_judges(study: Study, criterion: str | None) -> tuple[str, ...]:
    """Judges that answered on a criterion, or on none in particular."""
    return _names(study.judge_preferences, "judge", criterion)


def check_served(study: Study, kind: Kind, asked: Sequence[str], criterion: str | None) -> None:
    """Refuse what does not serve the criterion.

    Raises:
        UsageError: a name that is known on other criteria alone, or says nothing of these systems; or that the study
            does not have, with the nearest one as a hint.
    """
    frame = study.scores if kind == "metric" else study.judge_preferences
    known = _names(frame, kind, criterion)
    for name in asked:
        if name in known or frame is None:
            continue
        others = sorted(set(frame.filter(pl.col(kind) == name)["criterion"].drop_nulls()))
        if others and criterion is None:
            raise UsageError(
                f"the {kind} {name!r} is known on {', '.join(others)} alone, and the labels name no criterion: say in "
                "their column criterion what they are on"
            )
        if others:
            raise UsageError(
                f"no {kind} {name!r} on {criterion}; it is known on {', '.join(others)}: ask about such criteria only, "
                "or, where names differ by their spelling alone, import with --value FIELD:OTHER=NAME"
            )
    check_said(study, kind, asked, known, criterion)


def check_said(
    study: Study, kind: Kind, asked: Sequence[str], known: Sequence[str], criterion: str | None = None
) -> None:
    """Raise UsageError for the first name that is not known: it says nothing of these systems, or is not there."""
    for name in asked:
        if name not in known and (kind, name) in study.passed_over:
            raise UsageError(study.passed_over[kind, name].words)
    check_known(kind if criterion is None else f"{kind} on {criterion}", asked, known)


def refuse_all(study: Study, kinds: Sequence[Kind], criterion: str | None, instead: str) -> None:
    """Raise UsageError as 'all' means nothing here: what there is learned from all items, or is of other systems, or
    there is nothing; then `instead` says what to do.
    """
    what, about = " or ".join(kinds), f" on {criterion}" if criterion is not None else ""
    passed = [one for (kind, _), one in sorted(study.passed_over.items()) if kind in kinds]
    if passed:
        raise UsageError(f"'all' means no {what}{about} here: {passed[0].words}")
    raise UsageError(f"the study has no {what}{about} that 'all' could mean: {instead}")


def _names(frame: pl.DataFrame | None, column: str, criterion: str | None) -> tuple[str, ...]:
    if frame is None:
        return ()
    return tuple(sorted(frame.filter(_serves(criterion))[column].unique()))


def _serves(criterion: str | None) -> pl.Expr:
    """Rows for the criterion, and rows without one, which serve every criterion."""
    unnamed = pl.col("criterion").is_null()
    return unnamed if criterion is None else unnamed | (pl.col("criterion") == criterion)


def serving(frame: pl.DataFrame | None, column: str, name: str, criterion: str | None) -> pl.DataFrame:
    """Rows of one metric or judge that serve a criterion; its own rows go before general ones."""
    if frame is None:
        return pl.DataFrame()
    rows = frame.filter((pl.col(column) == name) & _serves(criterion))
    own = rows.filter(pl.col("criterion").is_not_null())
    return own if own.height else rows
