"""Arena-Hard's judgments: two games a row, and the files beside them."""

from __future__ import annotations

import json
from pathlib import Path

from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported


def _lines(path: Path, *rows: dict[str, object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def _game(score: str | None) -> dict[str, object]:
    return {"score": score, "judgment": {"answer": f"so [[{score}]]"}, "prompt": [{"role": "user", "content": "p"}]}


def _row(uid: str, *games: dict[str, object] | None) -> dict[str, object]:
    return {
        "uid": uid, "category": "hard_prompt", "judge": "gpt-4.1", "model": "mine", "baseline": "o3-mini",
        "games": list(games),
    }  # fmt: skip


def test_two_games_for_a_question(tmp_path: Path) -> None:
    judgments = _lines(
        tmp_path / "mine.jsonl",
        _row("u1", _game("A>>B"), _game("A>B")),
        _row("u2", _game("A<B"), _game("B=A")),
        _row("u3", _game(None), _game("B<<A")),
    )
    (plan,) = plan_files([judgments])
    assert plan.format is not None
    assert plan.format.name == "arena-hard"
    judged = imported([plan], "study").study.judge_preferences
    assert judged is not None
    assert judged["system_a"].to_list() == ["o3-mini", "mine"] * 3  # the baseline is A in the first game
    assert judged["left"].to_list() == ["o3-mini", "mine"] * 3
    assert judged["outcome"].to_list() == ["a", "a", "b", "tie", None, "a"]
    assert judged["unscored"].to_list() == [None, None, None, None, "no verdict", None]
    assert judged["reply"].to_list()[:2] == ["so [[A>>B]]", "so [[A>B]]"]
    assert set(judged["judge"]) == {"gpt-4.1"}


def test_a_game_that_was_not_played(tmp_path: Path) -> None:
    played = _row("u2", _game("A=B"), _game("B>A"))
    judgments = _lines(tmp_path / "mine.jsonl", _row("u1", None, _game("B>>A")), played)
    judged = imported(plan_files([judgments]), "study").study.judge_preferences
    assert judged is not None
    assert judged["outcome"].to_list() == [None, "b", "tie", "b"]
    assert judged["unscored"].to_list() == ["no game", None, None, None]


def test_questions_and_answers_of_the_second_release(tmp_path: Path) -> None:
    games = (_game("A>B"), _game("B>A"))
    judgments = _lines(tmp_path / "mine.jsonl", _row("u1", *games), _row("u2", *games))
    asked = {"category": "hard_prompt", "subcategory": "coding", "prompt": "Sort it."}
    questions = _lines(tmp_path / "question.jsonl", asked | {"uid": "u1"}, asked | {"uid": "u2"})
    answer = {"ans_id": "x", "model": "mine", "messages": [
        {"role": "user", "content": "Sort it."}, {"role": "assistant", "content": {"answer": "Sorted."}},
    ], "tstamp": 1.0, "metadata": {"token_len": 2}}  # fmt: skip
    answers = _lines(tmp_path / "answers.jsonl", answer | {"uid": "u1"}, answer | {"uid": "u2"})
    study = imported(plan_files([judgments, questions, answers]), "study").study
    assert study.items is not None
    assert study.items.select("item", "input").rows() == [("u1", "Sort it."), ("u2", "Sort it.")]
    assert study.outputs is not None
    assert study.outputs.select("item", "system", "text").row(0) == ("u1", "mine", "Sorted.")


def test_the_first_release(tmp_path: Path) -> None:
    game = {"user_prompt": "p", "judgment": "\nso [[B>A]]", "score": "B>A"}
    row = {"question_id": "96d2", "model": "mine", "judge": "gpt-4-1106-preview", "games": [game, game]}
    judgments = _lines(tmp_path / "mine.jsonl", row, row | {"question_id": "96d3"})
    question = {"question_id": "96d2", "category": "arena-hard-v0.1", "cluster": "Keys", "turns": [{"content": "Why?"}]}
    questions = _lines(tmp_path / "question.jsonl", question, question | {"question_id": "96d3"})
    turns = [{"content": "Because.", "token_len": 2}]
    answer = {"question_id": "96d2", "answer_id": "a", "model_id": "mine", "choices": [{"index": 0, "turns": turns}]}
    answers = _lines(tmp_path / "answers.jsonl", answer, answer | {"question_id": "96d3"})
    study = imported(plan_files([judgments, questions, answers]), "study").study
    assert study.judge_preferences is not None
    assert study.judge_preferences["system_a"].to_list()[:2] == ["gpt-4-0314", "mine"]
    assert study.judge_preferences["outcome"].to_list()[:2] == ["b", "b"]
    assert study.judge_preferences["reply"][0] == "\nso [[B>A]]"
    assert study.items is not None
    assert study.items.select("item", "input").rows() == [("96d2", "Why?"), ("96d3", "Why?")]
    assert study.outputs is not None
    assert study.outputs.select("item", "system", "text").row(1) == ("96d3", "mine", "Because.")


def test_a_baseline_without_a_name_is_told(tmp_path: Path) -> None:
    """The first release's gen_judgment.py takes any baseline, and writes none."""
    row = {"question_id": "q", "model": "mine", "judge": "gpt-4", "games": [_game("A>B"), _game("A=B")]}
    for own, told in ((row, 1), (row | {"baseline": "o3-mini"}, 0)):
        assert len(imported(plan_files([_lines(tmp_path / "mine.jsonl", own)]), "study").assumptions) == told
