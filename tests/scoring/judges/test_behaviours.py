"""Whatever a server does, an answer is what it said or none: never a guess."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scoring.judges.judging import SOON, add_judges, answers, outcomes, score, scored, small, write_qualities
from tests.scoring.judges.model_server import Call, ModelServer, Say, always, honest

REJECTED = {"message": "Unsupported parameter: 'temperature' is not supported with this model.",
            "type": "invalid_request_error", "param": "temperature", "code": "unsupported_parameter"}  # fmt: skip


def test_both_orders_of_all_pairs_are_asked_and_stored(server: ModelServer, tmp_path: Path) -> None:
    study = write_qualities(tmp_path / "study", {"ant": [1, 3], "bee": [2, 2], "cat": [5, 0]})
    told = scored(study)
    assert len(server.calls) == told["calls"] == 2 * 3 * 2
    found = answers(study)
    # ant 1, bee 2, cat 5 on the first item; ant 3, bee 2, cat 0 on the second: the greater number wins, shown first or
    # second, and each row says so of its own system_a and system_b.
    assert found.select("item", "system_a", "system_b", "left", "outcome").rows() == [
        ("i0", "ant", "bee", "ant", "b"), ("i0", "ant", "bee", "bee", "b"),
        ("i0", "ant", "cat", "ant", "b"), ("i0", "ant", "cat", "cat", "b"),
        ("i0", "bee", "cat", "bee", "b"), ("i0", "bee", "cat", "cat", "b"),
        ("i1", "ant", "bee", "ant", "a"), ("i1", "ant", "bee", "bee", "a"),
        ("i1", "ant", "cat", "ant", "a"), ("i1", "ant", "cat", "cat", "a"),
        ("i1", "bee", "cat", "bee", "a"), ("i1", "bee", "cat", "cat", "a"),
    ]  # fmt: skip
    assert told["flipped"] == 0
    assert told["answered_in_both_orders"] == 6
    assert set(found["judge"]) == {"model-x"}
    assert found["reply"][0] == '{"answer": "B"}'


def test_a_model_that_prefers_what_it_sees_first_flips_everywhere(server: ModelServer, study: Path) -> None:
    server.model = always("A")
    told = scored(study)
    assert (told["flipped"], told["answered_in_both_orders"]) == (4, 4)
    assert outcomes(study) == ["a", "b"] * 4
    assert "100% of 4 comparisons flip with the order shown" in score(study)[1]


def test_identical_texts_are_a_tie_without_a_call(server: ModelServer, tmp_path: Path) -> None:
    study = tmp_path / "study"
    write_qualities(study, {"ant": [1], "bee": [2]})
    (study / "outputs.csv").write_text("item,system,text\ni0,ant,same\ni0,bee,same\n", encoding="utf-8")
    told = scored(study)
    assert not server.calls
    (row,) = answers(study).rows(named=True)
    assert (row["outcome"], row["left"], row["reply"]) == ("tie", None, None)
    assert row["signature"].startswith("model-x|model-x|")
    assert told["plan"]["identical"] == 1
    assert scored(study)["plan"] == told["plan"] | {"known": 1, "identical": 0}


@pytest.mark.parametrize(
    ("said", "reason", "reply"),
    [
        (Say("I like both of them."), "unparsed", "I like both of them."),
        (Say(""), "unparsed", ""),
        (Say(refusal="I will not compare these."), "refused", "I will not compare these."),
        (Say("[[A]]", stop="content_filter"), "filtered", "[[A]]"),
        (Say(status=400, error={"code": "content_filter", "message": "no"}), "filtered", None),
    ],
)  # fmt: skip
def test_what_says_nothing_is_unscored_with_a_reason(
    said: Say, reason: str, reply: str | None, server: ModelServer, tmp_path: Path
) -> None:
    study = small(tmp_path / "study", items=2)
    server.model = lambda call: honest(call) if call.number else said
    told = scored(study, code=4)
    assert told["unscored"] == {reason: 1}
    assert told["scored"] == 3
    (row,) = answers(study).filter(answers(study)["outcome"].is_null()).rows(named=True)
    assert (row["unscored"], row["reply"]) == (reason, reply)
    server.model = honest
    again = scored(study)  # it is asked about again, and nothing else is
    assert len(server.calls) == 5
    assert (again["scored"], again["plan"]["known"]) == (1, 3)
    assert outcomes(study) == ["b"] * 4


def test_a_judge_that_judged_nothing_ends_with_1(server: ModelServer, study: Path) -> None:
    server.model = lambda _: Say("well")
    told = scored(study, code=1)
    assert told["unscored"] == {"unparsed": 8}
    assert outcomes(study) == [None] * 8


@pytest.mark.parametrize(
    "broken",
    [
        Say(raw=b"<html>busy</html>", headers={"content-type": "text/html"}),
        Say(raw=b'{"choices": [{"mess'),
        Say(raw=b'{"choices": []}'),
        Say(raw=b"\xff\xfe"),
        Say("x" * 200, cut=50),
    ],
)
def test_what_may_have_been_billed_is_asked_again_by_the_next_run_only(
    broken: Say, server: ModelServer, tmp_path: Path
) -> None:
    """Garbage, half of a JSON, a connection that was cut."""
    server.model = lambda call: honest(call) if call.number else broken
    study = small(tmp_path / "study", items=1)
    told = scored(study, "--input-price", "1", "--output-price", "1", code=4)
    assert (told["calls"], told["lost"], told["failed"]) == (1, 1, 1)
    assert "may have been billed" in told["failure"]
    # A reply that was lost may be billed at its worst: 8,192 tokens written, and no more read than there are bytes.
    assert 8192e-6 < told["doubtful"] < 10e-3
    told = scored(study, "--input-price", "1", "--output-price", "1")
    assert outcomes(study) == ["b", "b"]
    assert (told["calls"], told["lost"], told["plan"]["known"]) == (1, 0, 1)


def test_errors_of_a_server_are_asked_again_and_cost_nothing(server: ModelServer, tmp_path: Path) -> None:
    errors = [Say(status=500, error={"message": "oops"}, headers=SOON), Say(status=503, raw=b"", headers=SOON)]
    server.model = lambda call: errors[call.number] if call.number < 2 else honest(call)
    study = small(tmp_path / "study", items=1)
    told = scored(study, "--input-price", "1", "--output-price", "1")
    assert outcomes(study) == ["b", "b"]
    assert (told["calls"], told["lost"], told["doubtful"]) == (2, 0, 0)


def test_a_server_that_always_fails_is_left_alone(server: ModelServer, tmp_path: Path) -> None:
    server.model = lambda _: Say(status=500, error={"message": "the cat is on the keyboard"}, headers=SOON)
    study = small(tmp_path / "study", items=50)
    told = scored(study, code=1)
    assert told["failed"] >= 10
    assert told["not_asked"] > 50
    assert len(server.calls) < 150
    assert not (study / "judge_preferences.csv").exists()


def test_a_slow_server_is_given_up_after_the_timeout(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    add_judges(study, "[judges.model-x]\ntimeout = 1")
    server.model = lambda call: Say(call.in_form("B"), wait=1.5 if call.number == 0 else 0)
    told = scored(study, code=4)
    assert (told["scored"], told["lost"], len(server.calls)) == (1, 1, 2)
    assert (scored(study)["scored"], len(server.calls)) == (1, 3)


@pytest.mark.parametrize("headers", [{"retry-after": "0.3"}, {"retry-after-ms": "300"}, {}])
def test_a_busy_server_is_asked_again_when_it_says(
    headers: dict[str, str], server: ModelServer, tmp_path: Path
) -> None:
    import time

    study, times = small(tmp_path / "study", items=1), list[float]()

    def model(call: Call) -> Say:
        times.append(time.monotonic())
        return honest(call) if call.number else Say(status=429, error={"message": "slow down"}, headers=headers)

    server.model = model
    told = scored(study)
    assert (told["scored"], told["rejected"]) == (2, 1)
    assert 0.2 < times[1] - times[0] < 1.5  # without a header half a second, or a little less


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("said", "calls"),
    [
        (Say(status=500, error={"message": "oops"}, headers=SOON), 2),
        (Say(status=429, error={"message": "come back tomorrow"}, headers={"retry-after": "86400"}), 1),
    ],
)
def test_a_call_is_given_up_after_so_many_attempts_or_a_wait_that_is_too_long(
    said: Say, calls: int, provider: str, server: ModelServer, tmp_path: Path
) -> None:
    study = small(tmp_path / "study", items=1)
    add_judges(study, f'[judges.model-x]\nprovider = "{provider}"\nattempts = 2\norders = "one"')
    server.model = lambda _: said
    told = scored(study, "--input-price", "1", "--output-price", "1", code=1)
    assert (told["failed"], told["lost"], told["doubtful"], len(server.calls)) == (1, 0, 0, calls)
    assert told["failure"] == f"{said.status}: {said.error['message']}"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_call_that_never_left_costs_nothing(provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:9")  # where nobody listens
        monkeypatch.setenv(f"{name}_API_KEY", "a-key-0123456789abcdef")
    study = small(tmp_path / "study", items=1)
    add_judges(study, f'[judges.model-x]\nprovider = "{provider}"\nattempts = 2\norders = "one"')
    told = scored(study, "--input-price", "1", "--output-price", "1", code=1)
    assert (told["failed"], told["lost"], told["doubtful"]) == (1, 0, 0)
    assert "connection failed" in told["failure"]


def test_a_parameter_that_the_model_rejects_is_dropped_once(server: ModelServer, study: Path) -> None:
    def model(call: Call) -> Say:
        return Say(status=400, error=REJECTED) if "temperature" in call.body else honest(call)

    server.model = model
    told = scored(study)
    assert told["dropped"] == ["temperature"]
    assert sum("temperature" in call.body for call in server.calls) == 1  # the first call goes alone
    assert len(server.calls) == 9
    first = (study / "signatures.jsonl").read_text(encoding="utf-8")
    assert '"dropped": ["temperature"]' in first
    (study / "judge_preferences.csv").unlink()
    scored(study)  # remembered, and the replies are kept under what was asked
    assert len(server.calls) == 9
    assert (study / "signatures.jsonl").read_text(encoding="utf-8") == first


def test_a_server_that_knows_the_old_name_of_the_limit(server: ModelServer, tmp_path: Path) -> None:
    def model(call: Call) -> Say:
        if "max_completion_tokens" in call.body or "response_format" in call.body:
            name = "max_completion_tokens" if "max_completion_tokens" in call.body else "response_format"
            return Say(status=422, error={"message": f"{name}: extra fields not permitted"})
        return honest(call)

    server.model = model
    study = small(tmp_path / "study", items=1)
    told = scored(study)
    assert told["dropped"] == ["max_completion_tokens", "response_format"]
    assert server.calls[-1].body["max_tokens"] == 8192
    assert answers(study)["reply"][0] == "Thinking ... [[B]]"


def test_reasoning_that_is_cut_off_gets_twice_the_tokens_once(server: ModelServer, tmp_path: Path) -> None:
    def model(call: Call) -> Say:
        enough = call.most_tokens > 8192 and call.shown("first").endswith("1")
        return honest(call) if enough else Say("Let me think [[A]]", stop="length", written=call.most_tokens)

    server.model = model
    study = small(tmp_path / "study", items=1)
    told = scored(study, "--input-price", "0", "--output-price", "1", code=4)
    assert sorted(call.most_tokens for call in server.calls) == [8192, 8192, 16384, 16384]
    assert told["unscored"] == {"truncated": 1}
    assert outcomes(study) == ["b", None]
    assert told["paid"] == pytest.approx((8192 + 8192 + 16384 + 4) * 1e-6, abs=1e-5)
    scored(study, code=4)  # cut off at twice the tokens: asking again would be paid and end in the same way
    assert len(server.calls) == 4
    add_judges(study, "[judges.model-x]\nmax_tokens = 20000")
    server.model = honest
    scored(study)
    assert len(server.calls) == 5


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"message": "Incorrect API key provided"}),
        (404, {"message": "The model does not exist"}),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}),
    ],
)
def test_what_cannot_succeed_is_tried_once(
    status: int, error: dict[str, str], server: ModelServer, study: Path
) -> None:
    server.model = lambda _: Say(status=status, error=error)
    told = scored(study, code=1)
    assert len(server.calls) == 1
    assert error["message"] in told["gave_up"]


def test_texts_that_a_server_will_not_take_are_left_out(server: ModelServer, tmp_path: Path) -> None:
    def model(call: Call) -> Say:
        long = "quality 9" in call.prompt
        error = {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}
        return Say(status=400, error=error) if long else honest(call)

    server.model = model
    study = write_qualities(tmp_path / "study", {"ant": [1, 9, 1], "bee": [2, 2, 2]})
    told = scored(study, code=4)
    assert (told["scored"], told["failed"]) == (4, 2)
    assert answers(study).height == 4


def test_anthropic_is_asked_in_its_own_form(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=2)
    add_judges(study, '[judges.cl]\nmodel = "claude-x"\nprovider = "anthropic"')

    def model(call: Call) -> Say:
        if "temperature" in call.body:
            return Say(status=400, error={"type": "invalid_request_error", "message": "temperature: not supported"})
        return Say("no", stop="refusal") if call.number == 1 else honest(call)

    server.model = model
    told = scored(study, judge="cl", code=4)
    assert (told["scored"], told["unscored"], told["dropped"]) == (3, {"refused": 1}, ["temperature"])
    assert told["models"] == ["claude-x-dated"]
    call = server.calls[-1]
    assert call.body["output_config"]["format"]["schema"]["properties"]["answer"]["enum"] == ["A", "B", "C"]
    assert call.body["max_tokens"] == 8192
    assert "sk-secret" in call.headers["authorization"]
    server.model = lambda call: Say(status=529, error={"message": "Overloaded"}, headers=SOON) \
        if len(server.calls) == 6 else honest(call)  # fmt: skip
    assert scored(study, judge="cl")["rejected"] == 1
    assert outcomes(study) == ["b"] * 4
