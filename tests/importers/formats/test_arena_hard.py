"""Arena-Hard's judgments: two games a row, and the files beside them."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save


def _game(score: str | None) -> dict[str, object]:
    return {"score": score, "judgment": {"answer": f"so [[{score}]]"}, "prompt": [{"role": "user", "content": "p"}]}


def _row(uid: str, *games: dict[str, object] | None) -> dict[str, object]:
    return {
        "uid": uid, "category": "hard_prompt", "judge": "gpt-4.1", "model": "mine", "baseline": "o3-mini",
        "games": list(games),
    }  # fmt: skip


def test_two_games_for_a_question(tmp_path: Path) -> None:
    judgments = save(
        tmp_path,
        "mine.jsonl",
        [
            _row("u1", _game("A>>B"), _game("A>B")),
            _row("u2", _game("A<B"), _game("B=A")),
            _row("u3", _game(None), _game("B<<A")),
        ],
    )
    judged = read_as("arena-hard", judgments).study.judge_preferences
    assert cells_of(judged, "system_a") == ["o3-mini", "mine"] * 3  # the baseline is A in the first game
    assert cells_of(judged, "left") == ["o3-mini", "mine"] * 3
    assert cells_of(judged, "outcome") == ["a", "a", "b", "tie", None, "a"]
    assert cells_of(judged, "unscored") == [None, None, None, None, "no verdict", None]
    assert cells_of(judged, "reply")[:2] == ["so [[A>>B]]", "so [[A>B]]"]
    assert set(cells_of(judged, "judge")) == {"gpt-4.1"}


def test_a_game_that_was_not_played(tmp_path: Path) -> None:
    played = _row("u2", _game("A=B"), _game("B>A"))
    judgments = save(tmp_path, "mine.jsonl", [_row("u1", None, _game("B>>A")), played])
    judged = read_as("arena-hard", judgments).study.judge_preferences
    assert cells_of(judged, "outcome") == [None, "b", "tie", "b"]
    assert cells_of(judged, "unscored") == ["no game", None, None, None]


def test_questions_and_answers_of_the_second_release(tmp_path: Path) -> None:
    games = (_game("A>B"), _game("B>A"))
    judgments = save(tmp_path, "mine.jsonl", [_row("u1", *games), _row("u2", *games)])
    asked = {"category": "hard_prompt", "subcategory": "coding", "prompt": "Sort it."}
    questions = save(tmp_path, "question.jsonl", [asked | {"uid": "u1"}, asked | {"uid": "u2"}])
    answer = {"ans_id": "x", "model": "mine", "messages": [
        {"role": "user", "content": "Sort it."}, {"role": "assistant", "content": {"answer": "Sorted."}},
    ], "tstamp": 1.0, "metadata": {"token_len": 2}}  # fmt: skip
    answers = save(tmp_path, "answers.jsonl", [answer | {"uid": "u1"}, answer | {"uid": "u2"}])
    study = read_as("arena-hard", judgments, questions, answers).study
    assert rows_of(study.items, "item", "input") == [("u1", "Sort it."), ("u2", "Sort it.")]
    assert rows_of(study.outputs, "item", "system", "text")[0] == ("u1", "mine", "Sorted.")


def test_the_first_release(tmp_path: Path) -> None:
    game = {"user_prompt": "p", "judgment": "\nso [[B>A]]", "score": "B>A"}
    row = {"question_id": "96d2", "model": "mine", "judge": "gpt-4-1106-preview", "games": [game, game]}
    judgments = save(tmp_path, "mine.jsonl", [row, row | {"question_id": "96d3"}])
    question = {"question_id": "96d2", "category": "arena-hard-v0.1", "cluster": "Keys", "turns": [{"content": "Why?"}]}
    questions = save(tmp_path, "question.jsonl", [question, question | {"question_id": "96d3"}])
    turns = [{"content": "Because.", "token_len": 2}]
    answer = {"question_id": "96d2", "answer_id": "a", "model_id": "mine", "choices": [{"index": 0, "turns": turns}]}
    answers = save(tmp_path, "answers.jsonl", [answer, answer | {"question_id": "96d3"}])
    study = read_as("arena-hard", judgments, questions, answers).study
    assert cells_of(study.judge_preferences, "system_a")[:2] == ["gpt-4-0314", "mine"]
    assert cells_of(study.judge_preferences, "outcome")[:2] == ["b", "b"]
    assert study.judge_preferences["reply"][0] == "\nso [[B>A]]"
    assert rows_of(study.items, "item", "input") == [("96d2", "Why?"), ("96d3", "Why?")]
    assert rows_of(study.outputs, "item", "system", "text")[1] == ("96d3", "mine", "Because.")


def test_a_baseline_without_a_name_is_told(tmp_path: Path) -> None:
    """The first release's gen_judgment.py takes any baseline, and writes none."""
    row = {"question_id": "q", "model": "mine", "judge": "gpt-4", "games": [_game("A>B"), _game("A=B")]}
    for own, told in ((row, 1), (row | {"baseline": "o3-mini"}, 0)):
        assert len(read_as("arena-hard", save(tmp_path, "mine.jsonl", [own])).assumptions) == told
