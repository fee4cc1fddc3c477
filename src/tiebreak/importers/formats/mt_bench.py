"""MT-bench: judgments of pairs and single answers, by people and models; answers and questions."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries, Entry
from tiebreak.importers.formats.format import Format, at, conversation, have, number, of_records, says, text
from tiebreak.tabular.documents import text_of
from tiebreak.tabular.source import Place, Record, Source

_PEOPLE: Final = ("expert", "author", "human", "annotator", "user")
"""How the names of people begin."""


def _say(record: Record, place: Place) -> Entries:
    if "m1_score" in record:
        # Two answers, each graded alone: the winner follows from the grades, and no order was shown.
        return (_grade(record, place, f"model_{side}", f"m{side}_score") for side in "12")
    if "g1_winner" in record:
        return _games(record, place)
    if "winner" in record:
        return (_vote(record, place),)
    return (_grade(record, place, "model", "score"),) if "score" in record else _texts(record, place)


def _about(record: Record, turn: str) -> dict[str, str]:
    """The item of a record, a turn of its question."""
    question = text(record, "question_id")
    return {"item": f"{question}/{turn}", "cluster": question}


def _judged(record: Record) -> dict[str, str]:
    """The item, and who judged it; the first turn, where none is named. A model has other prompts for other turns and
    categories, and is one judge.
    """
    name = text(record, "judge.0", "judge")
    return _about(record, text(record, "turn") or "1") | {"annotator" if name.startswith(_PEOPLE) else "judge": name}


def _grade(record: Record, place: Place, system: str, score: str) -> Entry:
    value = number(record[score])
    shown = "" if value is None or value < 0 else value  # -1: the judge's reply has no grade
    return says(place, **_judged(record), system=text(record, system), value=shown)


def _games(record: Record, place: Place) -> Entries:
    """Two games, the second with the models the other way round."""
    for game, (a, b) in (("g1", ("model_1", "model_2")), ("g2", ("model_2", "model_1"))):
        winner = text(record, f"{game}_winner")
        side = {a: "a", b: "b", "tie": "tie"}.get(winner)
        yield says(
            place, side, **_judged(record), system_a=text(record, a), system_b=text(record, b), left=text(record, a),
            reply=text(record, f"{game}_judgment") or None, outcome=winner if side else None,
            unscored=None if side else winner or "no verdict",
        )  # fmt: skip


def _vote(record: Record, place: Place) -> Entry:
    """A vote, or what two games of a judge come to."""
    a, winner, judged = text(record, "model_a"), text(record, "winner"), _judged(record)
    question, first = _turn(record, "conversation_a")
    return says(
        place, "tie" if winner.startswith("tie") else None, **judged,
        system_a=a, system_b=text(record, "model_b"), left=a if "annotator" in judged else None, outcome=winner,
        input=question, text_a=first, text_b=_turn(record, "conversation_b")[1],
    )  # fmt: skip


def _turn(record: Record, key: str) -> tuple[str | None, str | None]:
    """What was asked and answered in the turn."""
    messages, turn = at(record, key), int(number(record.get("turn")) or 1)
    return conversation({"c": messages[2 * turn - 2 : 2 * turn] if isinstance(messages, list) else []}, "c")


def _texts(record: Record, place: Place) -> Entries:
    """An answer or a question, one for each turn."""
    system = text(record, "model_id") or None
    turns = at(record, "choices.0.turns") if system else at(record, "turns")
    for turn, message in enumerate(turns if isinstance(turns, list) else (), 1):
        fields = {"text" if system else "input": text(message, "content") or text_of(message)}
        reference = text(record, f"reference.{turn - 1}") or None
        yield says(place, **_about(record, str(turn)), system=system, reference=reference, **fields)


def _fits(source: Source) -> bool:
    if not have(source, "question_id") or have(source, "anony") or have(source, "tstamp", "winner"):  # the arena's
        return False
    votes = have(source, "model_a", "model_b", "winner", "judge", "turn")
    games = have(source, "model_1", "model_2", "g1_winner", "g2_winner", "judge")
    grades = have(source, "model", "judge", "score", "judgment")
    return votes or games or grades or have(source, "model_id", "choices")


def _beside(source: Source) -> bool:
    return have(source, "question_id", "category", "turns")


FORMAT: Final = Format("mt-bench", "MT-bench judgments and answers", _fits, of_records(_say), _beside)
