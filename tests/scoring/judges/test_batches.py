"""Batches: handed in once, collected later, whatever happens in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scoring.judges.batch_server import BatchServer, batch_serving
from tests.scoring.judges.judging import add_judges, answers, outcomes, score, scored, small
from tests.scoring.judges.model_server import KEY, Call, Say, environment, honest

PROVIDERS = ["openai", "anthropic"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    with batch_serving() as found:
        for name, value in environment(found).items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.fixture(params=PROVIDERS)
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A study whose judge model-x is of one provider."""
    made = small(tmp_path / "study")
    prices = "input_price = 1\noutput_price = 2"
    add_judges(made, f'[judges.model-x]\nprovider = "{request.param}"\n{prices}\nunlisted_after = 1')
    return made


def batch(study: Path, *words: str, code: int = 0) -> dict[str, object]:
    return scored(study, "--batch-api", *words, code=code)


def test_hand_in_leave_and_collect(server: BatchServer, study: Path) -> None:
    first = batch(study, code=4)
    assert (first["pending"], first["scored"], first["calls"]) == (7, 1, 1)  # one goes directly
    assert answers(study).height == 1
    assert [len(found.requests) for found in server.batches] == [7]
    again = batch(study, code=4)
    assert (again["pending"], again["calls"]) == (7, 0)
    assert len(server.batches) == 1
    server.end()
    last = batch(study)
    assert (last["pending"], last["scored"], last["calls"]) == (0, 7, 7)
    assert outcomes(study) == ["b"] * 8
    assert set(server.paid.values()) == {1}
    assert not list((study / ".scoring" / "judges" / "batches").glob("*.json"))
    # A batch costs half of what direct calls do.
    tokens = (last["tokens_read"], last["tokens_written"])
    assert last["paid"] == pytest.approx((tokens[0] + 2 * tokens[1]) / 2e6)  # type: ignore[operator]


def test_calls_of_a_batch_are_not_made_directly_in_the_meantime(server: BatchServer, study: Path) -> None:
    batch(study, code=4)
    told = scored(study, code=4)
    assert (told["pending"], told["calls"]) == (7, 0)
    assert "7 calls in batches that have not ended" in score(study, "--dry-run")[1]
    server.end()
    told = scored(study)  # without --batch-api it is collected as well
    assert told["scored"] == 7
    assert set(server.paid.values()) == {1}


def test_a_batch_that_expires_is_collected_and_the_rest_handed_in(server: BatchServer, study: Path) -> None:
    batch(study, code=4)
    server.end("expired", only=3)
    told = batch(study, code=4)
    assert (told["scored"], told["pending"]) == (3, 4)
    assert [len(found.requests) for found in server.batches] == [4, 7]
    server.end()
    assert batch(study)["scored"] == 4
    assert outcomes(study) == ["b"] * 8
    assert set(server.paid.values()) == {1}


def test_replies_that_say_nothing_and_requests_that_are_refused(server: BatchServer, study: Path) -> None:
    batch(study, code=4)
    sayings = [Say("both"), Say(status=400, error={"message": "too long"})]
    server.model = lambda call: sayings.pop() if sayings else honest(call)
    server.end()
    told = batch(study, code=4)
    assert (told["scored"], told["unscored"], told["failed"]) == (5, {"unparsed": 1}, 1)
    assert "too long" in str(told["failure"])
    assert len(server.batches) == 1  # not at once again
    server.model = honest
    batch(study, code=4)
    server.end()
    batch(study)
    assert outcomes(study) == ["b"] * 8


def test_what_was_cut_off_in_a_batch_gets_twice_the_tokens_in_the_next(server: BatchServer, study: Path) -> None:
    batch(study, code=4)
    server.model = lambda call: honest(call) if call.most_tokens > 8192 else Say("...", stop="length")
    server.end()
    told = batch(study, code=4)
    assert (told["scored"], told["pending"]) == (0, 7)
    assert {call["max_tokens" if server.batches[0].anthropic else "max_completion_tokens"]
            for call in server.batches[0].requests.values()} == {16384}  # fmt: skip
    server.end()
    assert batch(study)["scored"] == 7


def test_a_limit_in_money_holds_for_a_batch_at_its_worst(server: BatchServer, study: Path) -> None:
    worst = 8192 * 2 / 2e6  # of what is written in a batch
    told = batch(study, "--spend-at-most", str(5 * worst), code=4)
    assert 3 <= len(server.batches[0].requests) <= 4  # what is read is counted as well
    assert told["not_asked"] == 8 - 1 - len(server.batches[0].requests)


def test_a_batch_that_is_refused_costs_nothing_and_is_forgotten(server: BatchServer, study: Path) -> None:
    server.refuses_batches = True
    code, output = score(study, "--batch-api")
    assert (code, "the batch was not taken: 400: no batches today" in output) == (1, True)
    assert not list((study / ".scoring" / "judges" / "batches").glob("*.json"))


def test_openai_says_why_a_batch_failed_as_a_whole(server: BatchServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study")
    batch(study, code=4)
    server.end("failed", only=0)
    told = batch(study, code=4)
    assert (told["failed"], told["failure"]) == (7, "the file is empty")


def test_batches_of_others_are_left_alone(server: BatchServer, study: Path) -> None:
    for _ in range(5):
        server.add({"other-0": {}}, {"tiebreak": "somebody else"}, anthropic="anthropic" in study_text(study))
    batch(study, code=4)
    for other in server.batches[1:]:
        other.status = "completed"
    server.end()
    assert batch(study)["scored"] == 7


def study_text(study: Path) -> str:
    return (study / "study.toml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("server")
def test_a_damaged_intent_stops_everything(study: Path) -> None:
    batch(study, code=4)
    (intent,) = (study / ".scoring" / "judges" / "batches").glob("*.json")
    whole = intent.read_text(encoding="utf-8")
    assert KEY not in whole
    intent.write_text(whole[:100], encoding="utf-8")
    assert score(study, "--batch-api")[0] == 1
    intent.write_text(json.dumps(json.loads(whole) | {"endpoint": "another model"}), encoding="utf-8")
    assert batch(study, code=4)["pending"] == 7  # one of another model is none of its business


def test_several_batches_where_one_does_not_hold_all(
    server: BatchServer, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiebreak.scoring.judges.anthropic import AnthropicProvider
    from tiebreak.scoring.judges.openai import OpenAIProvider

    for provider in (AnthropicProvider, OpenAIProvider):
        monkeypatch.setattr(provider, "most_calls", 3)
    assert batch(study, code=4)["pending"] == 7
    assert [len(found.requests) for found in server.batches] == [1, 3, 3]
    server.end()
    assert batch(study)["scored"] == 7
    assert set(server.paid.values()) == {1}


def test_calls_that_a_model_answers_with_a_dropped_parameter(server: BatchServer, study: Path) -> None:
    def model(call: Call) -> Say:
        error = {"message": "temperature: not supported", "param": "temperature"}
        return Say(status=400, error=error) if "temperature" in call.body else honest(call)

    server.model = model
    assert batch(study, code=4)["dropped"] == ["temperature"]  # found out by the call that goes first
    server.end()
    assert batch(study)["scored"] == 7


def forget_the_name(study: Path) -> None:
    """As if the process had been killed between handing a batch in and writing down what the provider calls it."""
    (intent,) = (study / ".scoring" / "judges" / "batches").glob("*.json")
    told = json.loads(intent.read_text(encoding="utf-8"))
    intent.write_text(json.dumps(told | {"batch": None, "created": told["created"] - 5}), encoding="utf-8")


@pytest.fixture
def forgotten(server: BatchServer, tmp_path: Path) -> Path:  # noqa: ARG001
    """Anthropic's batches have no marks of one's own: one with as many calls, made at that time, may be ours."""
    study = small(tmp_path / "study")
    add_judges(study, '[judges.model-x]\nprovider = "anthropic"\nunlisted_after = 1')
    batch(study, code=4)
    forget_the_name(study)
    return study


def test_what_cannot_be_told_is_not_handed_in_again(server: BatchServer, forgotten: Path) -> None:
    for _ in range(2):
        assert score(forgotten, "--batch-api")[0] == 4
    assert len(server.batches) == 1
    server.end()
    assert batch(forgotten)["scored"] == 7
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("again", [True, False])
def test_what_cannot_be_told_is_asked(
    again: bool, server: BatchServer, forgotten: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiebreak.cli.score.stdin_is_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: again)
    assert score(forgotten, "--batch-api", yes=False)[0] == 4
    assert len(server.batches) == 1 + again


def test_a_provider_that_breaks_while_it_takes_a_batch(
    server: BatchServer, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it took it is not known: nothing is handed in again until the list has been searched."""
    plain, broken = server.respond, [True]

    def respond(method: str, path: str, *more: object) -> tuple[int, object]:
        found = plain(method, path, *more)  # type: ignore[arg-type]
        if method == "POST" and path.endswith("batches") and broken:
            broken.clear()
            return 502, {"error": {"message": "bad gateway"}}
        return found

    monkeypatch.setattr(server, "respond", respond)
    code, output = score(study, "--batch-api")
    assert code == 1
    assert "it is not known whether a batch of 7 calls was taken" in " ".join(output.split())
    assert batch(study, code=4)["pending"] == 7
    assert len(server.batches) == 1
    server.end()
    assert batch(study)["scored"] == 7


def test_a_batch_that_was_never_handed_in_is_handed_in(server: BatchServer, study: Path) -> None:
    batch(study, code=4)
    forget_the_name(study)
    server.batches.clear()
    assert batch(study, code=4)["pending"] == 7
    assert len(server.batches) == 1
