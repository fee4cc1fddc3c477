"""Arena-Hard: a judge's two games for each question, and the answers and questions beside them."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, have, objects, of_records, says, text
from tiebreak.tabular.source import Place, Record, Source, Sources

_FIRST_BASELINE: Final = "gpt-4-0314"
"""That of the first release, whose files do not name it."""
_SCORES: Final = {
    "A>>B": "a", "A>B": "a", "A=B": "tie", "B=A": "tie", "B>A": "b", "B>>A": "b",
    "B<<A": "a", "B<A": "a", "A<B": "b", "A<<B": "b",
}  # fmt: skip


def _say(record: Record, place: Place) -> Entries:
    item = text(record, "uid", "question_id")
    if "games" not in record:
        asked, model = text(record, "prompt", "turns.0.content"), text(record, "model", "model_id")
        yield says(place, item=item, input=asked or None, system=model or None, text=_answer(record) or None)
        return
    baseline, model = text(record, "baseline") or _FIRST_BASELINE, text(record, "model")
    games = at(record, "games")
    for number, game in enumerate(games if isinstance(games, list) else ()):
        # In the first game the baseline is shown first, in the second the model.
        first, second = (baseline, model) if number == 0 else (model, baseline)
        score = text(game, "score").replace(" ", "")
        side = _SCORES.get(score)
        judgment = at(game, "judgment")
        reply = judgment if isinstance(judgment, str) else text(judgment, "answer")
        yield says(
            place, side, item=item, system_a=first, system_b=second, left=first, judge=text(record, "judge"),
            reply=reply or None, outcome=score if side else None,
            unscored=None if side else "no verdict" if isinstance(game, dict) else "no game",
        )  # fmt: skip


def _remark(sources: Sources) -> str:
    unnamed = any("games" in record and "baseline" not in record for source in sources for record in source.first)
    return f"Judgments that name no baseline are taken to be against {_FIRST_BASELINE}." if unnamed else ""


def _answer(record: Record) -> str:
    last = (objects(record, "messages") or objects(record, "choices.0.turns") or [{}])[-1]
    return text(last, "content.answer", "content")


def _beside(source: Source) -> bool:
    """Answers and questions of the second release, or of the first."""
    second = have(source, "uid") and (have(source, "prompt") or have(source, "model"))
    return second or have(source, "question_id", "model_id", "choices") or have(source, "question_id", "turns")


FORMAT: Final = Format(
    "arena-hard",
    "Arena-Hard judgments",
    lambda source: have(source, "games", "judge", "model"),
    of_records(_say),
    _beside,
    _remark,
)
