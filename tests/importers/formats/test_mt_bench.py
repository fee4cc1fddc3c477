"""MT-bench: games, single grades, votes of people, answers and questions."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save

_PAIR: dict[str, object] = {
    "question_id": 81, "model_1": "north", "model_2": "south", "g1_winner": "model_1", "g2_winner": "model_1",
    "judge": ["gpt-4", "pair-v2"], "g1_user_prompt": "p", "g1_judgment": "so [[A]]", "g2_user_prompt": "p",
    "g2_judgment": "so [[B]]", "turn": 1, "tstamp": 1.0,
}  # fmt: skip
_ANSWER: dict[str, object] = {
    "question_id": 81, "answer_id": "x", "model_id": "north", "choices": [{"index": 0, "turns": ["One.", "Two."]}],
    "tstamp": 1.0,
}  # fmt: skip


def test_games_in_both_orders(tmp_path: Path) -> None:
    later = {"judge": ["gpt-4", "pair-v2-multi-turn"], "turn": 2, "g1_winner": "tie", "g2_winner": "error"}
    study = read_as("mt-bench", save(tmp_path, "gpt-4_pair.jsonl", [_PAIR, _PAIR | later])).study
    judged = study.judge_preferences
    assert cells_of(judged, "item") == ["81/1", "81/1", "81/2", "81/2"]
    assert cells_of(judged, "system_a") == ["north", "south", "north", "south"]
    assert cells_of(judged, "left") == ["north", "south", "north", "south"]
    assert cells_of(judged, "outcome") == ["a", "b", "tie", None]
    assert cells_of(judged, "unscored") == [None, None, None, "error"]
    assert cells_of(judged, "reply")[:2] == ["so [[A]]", "so [[B]]"]
    assert set(cells_of(judged, "judge")) == {"gpt-4"}
    assert cells_of(study.items, "cluster") == ["81", "81"]


def test_single_grades_of_a_pair_are_scores_and_no_orders(tmp_path: Path) -> None:
    graded = {key: value for key, value in _PAIR.items() if key != "turn"}
    graded |= {"judge": ["gpt-4", "single-v1"], "g2_winner": "model_1", "m1_score": 7, "m2_score": 6.5}
    unread = graded | {"question_id": 82, "m2_score": -1}
    answers = save(tmp_path, "north.jsonl", [_ANSWER, _ANSWER | {"question_id": 82}])
    told = read_as("mt-bench", save(tmp_path, "pairs.jsonl", [graded, unread]), answers)
    assert told.study.judge_preferences is None
    scores = told.study.scores
    assert cells_of(scores, "value") == [7.0, 6.5, 7.0]
    assert cells_of(scores, "system") == ["north", "south", "north"]
    assert cells_of(scores, "item") == ["81/1", "81/1", "82/1"]
    assert set(cells_of(scores, "metric")) == {"gpt-4"}
    assert sum(skipped.count for skipped in told.skipped) == 1


def test_grades_with_answers_and_questions(tmp_path: Path) -> None:
    grade = {
        "question_id": 81, "model": "north", "judge": ["gpt-4", "single-v1"], "user_prompt": "p",
        "judgment": "so [[9]]", "score": 9, "turn": 1, "tstamp": 1.0,
    }  # fmt: skip
    later = {"judge": ["gpt-4", "single-v1-multi-turn"], "turn": 2, "score": 4}
    grades = save(tmp_path, "gpt-4_single.jsonl", [grade, grade | later])
    question = {"question_id": 81, "category": "math", "turns": ["1?", "2?"], "reference": ["one", "two"]}
    questions = save(tmp_path, "question.jsonl", [question, question | {"question_id": 82}])
    answers = save(tmp_path, "north.jsonl", [_ANSWER, _ANSWER | {"question_id": 82}])
    study = read_as("mt-bench", grades, questions, answers).study
    assert cells_of(study.scores, "value") == [9.0, 4.0]
    assert study.outputs.filter(item="81/2")["text"].to_list() == ["Two."]
    assert study.items.filter(item="81/2").select("input", "reference").rows() == [("2?", "two")]


def test_votes_of_people_and_what_a_judges_games_come_to(tmp_path: Path) -> None:
    def talk(name: str) -> list[dict[str, str]]:
        roles = ("user", "assistant", "user", "assistant")
        return [{"content": f"{name} {number}", "role": role} for number, role in enumerate(roles)]

    asked = talk("south")
    said = [asked[0], talk("north")[1], asked[2], talk("north")[3]]
    vote = {
        "question_id": 81, "model_a": "north", "model_b": "south", "winner": "model_b", "judge": "expert_1",
        "conversation_a": said, "conversation_b": asked, "turn": 2,
    }  # fmt: skip
    judge = {"judge": "gpt4_pair", "winner": "tie (inconsistent)"}
    study = read_as("mt-bench", save(tmp_path, "human.jsonl", [vote, vote | judge])).study
    assert rows_of(study.preferences, "item", "annotator", "outcome", "left") == [("81/2", "expert_1", "b", "north")]
    assert rows_of(study.judge_preferences, "judge", "outcome", "left") == [("gpt4_pair", "tie", None)]
    assert cells_of(study.outputs, "text") == ["north 3", "south 3"]
    assert cells_of(study.items, "input") == ["south 2"]


def test_a_single_answer_is_a_file_of_lines(tmp_path: Path) -> None:
    outputs = read_as("mt-bench", save(tmp_path, "north.jsonl", [_ANSWER])).study.outputs
    assert cells_of(outputs, "text") == ["One.", "Two."]
