"""Replies on disk: there completely or not at all, whoever writes."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.judges.judging import add_judges, outcomes, scored, small
from tests.scoring.judges.killed import exit_code
from tests.scoring.judges.model_server import Call, Say, honest, serving

from tiebreak.errors import TiebreakError
from tiebreak.scoring.judges.provider import Request
from tiebreak.scoring.judges.replies import Answer, Token, Usage
from tiebreak.scoring.judges.store import JudgeStore, KeptReply

ANSWER = Answer("[[A]] ä\n", "done", "m", Usage(3, 4), (Token("A", (("A", -0.1), (" A", -2.0))),))
KEY = "ab" + "0" * 62


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    store = JudgeStore(tmp_path)
    assert store.reply(KEY) == KeptReply()
    store.keep(KEY, ANSWER)
    assert store.reply(KEY).answer == ANSWER
    store.keep(KEY, Answer("", "done", "", None))
    assert store.reply(KEY).answer == Answer("", "done", "", None)
    assert [path.name for path in (tmp_path / "replies" / "ab").iterdir()] == [f"{KEY}.json"]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_answer_survives_json(text: str, model: str) -> None:
    answer = Answer(text, "done", model, Usage(0, 10**9))
    assert msgspec.json.decode(msgspec.json.encode(answer), type=Answer) == answer


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"answer": 3}', b'{"answer": {"text": "x"}}', b"\xff"])
def test_a_damaged_file_is_no_reply(content: bytes, tmp_path: Path) -> None:
    store = JudgeStore(tmp_path)
    (tmp_path / "replies" / "ab").mkdir(parents=True)
    (tmp_path / "replies" / "ab" / f"{KEY}.json").write_bytes(content)
    assert store.reply(KEY) == KeptReply(None, 0)
    store.keep(KEY, ANSWER)
    assert store.reply(KEY).answer == ANSWER


def test_replies_that_were_cut_off_are_remembered_and_none(tmp_path: Path) -> None:
    store = JudgeStore(tmp_path)
    store.keep_cut_off(KEY, 8192)
    store.keep_cut_off(KEY, 16384)
    store.keep_cut_off(KEY, 8192)
    assert store.reply(KEY) == KeptReply(None, 16384)
    store.keep(KEY, ANSWER)
    assert store.reply(KEY) == KeptReply(ANSWER, 0)


def test_what_killed_programs_left_is_removed(tmp_path: Path) -> None:
    store = JudgeStore(tmp_path)
    store.keep(KEY, ANSWER)
    (tmp_path / "replies" / "ab" / "half.123.new").write_text("{")
    store.tidy()
    assert [path.name for path in (tmp_path / "replies" / "ab").iterdir()] == [f"{KEY}.json"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "replies").write_text("no folder")
    with pytest.raises(TiebreakError, match=r"cannot write .*replies that came before are kept"):
        JudgeStore(tmp_path).keep(KEY, ANSWER)


def test_the_key_is_of_all_that_is_asked_and_not_of_the_length() -> None:
    def key(endpoint: str = "e", **changes: object) -> str:
        given: dict[str, object] = {"fixed": {"model": "m", "messages": ["x"]}, "parameters": {"t": 0}, "cap": "max"}
        return Request(**(given | changes)).key(endpoint)  # type: ignore[arg-type]

    assert key() == key(cap=None)
    others = [key("f"), key(fixed={"model": "n", "messages": ["x"]}), key(fixed={"model": "m", "messages": ["y"]}),
              key(parameters={"t": 1}), key(parameters={})]  # fmt: skip
    assert len({key(), *others}) == 6


def _write(folder: str, count: int) -> None:
    store = JudgeStore(Path(folder))
    for _ in range(count):
        store.keep(KEY, ANSWER)
        assert store.reply(KEY).answer == ANSWER


def test_two_processes_write_the_same_reply(tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    processes = [context.Process(target=_write, args=(str(tmp_path), 300)) for _ in range(2)]
    for process in processes:
        process.start()
    _write(str(tmp_path), 300)
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert JudgeStore(tmp_path).reply(KEY).answer == ANSWER


def test_two_runs_at_once_pay_once(tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=10)
    begun = threading.Event()

    def model(call: Call) -> Say:
        begun.set()
        said = honest(call)
        return Say(said.text, wait=0.05)

    with serving(model) as server:
        words = ["score", str(study), "--judge", "model-x", "--yes"]
        environment = {"OPENAI_BASE_URL": server.url}
        codes: list[int] = []
        first = threading.Thread(target=lambda: codes.append(exit_code(words, environment)))
        first.start()
        assert begun.wait(60)
        codes.append(exit_code(words, environment))  # waits, and finds everything
        first.join()
        assert codes == [0, 0]
        assert len(server.calls) == 20
    assert outcomes(study) == ["b"] * 20


def test_a_second_judge_with_the_same_question_pays_nothing(server, study: Path) -> None:  # type: ignore[no-untyped-def]
    add_judges(study, '[judges.again]\nmodel = "model-x"')
    scored(study)
    told = scored(study, judge="again")
    assert (told["scored"], told["calls"], told["plan"]["kept"]) == (8, 0, 8)
    assert len(server.calls) == 8
