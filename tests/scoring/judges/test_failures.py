"""What went wrong with a call, from what the packages of the providers raise and what servers write."""

from __future__ import annotations

import pytest

from tiebreak.scoring.judges.pace import Waiting
from tiebreak.scoring.judges.providers.failures import failure_of_status, retry_after

SENT = {"temperature": 0, "response_format": {}, "max_completion_tokens": 9, "logprobs": True, "top_logprobs": 20}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after-ms": "x"}, None),
    ],
)
def test_when_a_server_wants_to_be_asked_again(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=10.0) == seconds


@pytest.mark.parametrize(
    ("status", "error", "why", "parameter"),
    [
        (429, {"message": "slow down"}, "busy", None),
        (529, {"message": "Overloaded"}, "busy", None),
        (429, {"message": "x", "code": "insufficient_quota"}, "hopeless", None),
        (400, {"message": "Your credit balance is too low"}, "hopeless", None),
        (401, {"message": "x"}, "hopeless", None),
        (402, {"message": "x"}, "hopeless", None),
        (404, {"message": "x"}, "hopeless", None),
        (500, {"message": "x"}, "broken", None),
        (408, {"message": "x"}, "broken", None),
        (400, {"message": "x", "param": "temperature"}, "parameter", "temperature"),
        (400, {"message": "x", "param": "response_format.json_schema"}, "parameter", "response_format"),
        (400, {"message": "x", "param": "max_tokens"}, "parameter", "max_completion_tokens"),
        (400, {"message": "temperature in messages", "param": "messages[1].content"}, "question", None),
        (400, {"message": "`temperature` may only be set to 1"}, "parameter", "temperature"),
        (422, {"message": "max_tokens too large, and temperature"}, "parameter", "max_completion_tokens"),
        (400, {"message": "json_schema is not supported"}, "parameter", "response_format"),
        (400, {"message": "top_logprobs must be below 5"}, "parameter", "top_logprobs"),
        (400, {"message": "the temperatures are falling"}, "question", None),
        (413, {"message": "too large"}, "question", None),
        (400, {"message": "x", "code": "content_filter"}, "filtered", None),
        (400, {"message": "blocked by our content management policy"}, "filtered", None),
    ],
)
def test_errors_of_servers(status: int, error: dict[str, str], why: str, parameter: str | None) -> None:
    for body in ({"error": error}, error, {"type": "error", "error": {"type": "error", "error": error}}):
        found = failure_of_status(status, {}, body, SENT, "")
        assert (found.why, found.parameter, found.maybe_paid) == (why, parameter, False)
        assert found.message.startswith(f"{status}: ")


def test_bodies_that_are_no_errors() -> None:
    for body in (None, "", "<html>", [], {"error": None}, {"error": "text"}, 3):
        assert failure_of_status(400, {}, body, SENT, "").why == "question"
        assert failure_of_status(503, {"retry-after": "3"}, body, SENT, "").wait == 3


class Middle:
    """Draws the middle of a range."""

    def uniform(self, low: float, high: float) -> float:
        return (low + high) / 2


def test_waits_double_up_to_the_longest() -> None:
    waiting, rng = Waiting(first=1, longest=10, most=100), Middle()
    waits = [waiting.before(attempt, None, rng) for attempt in range(1, 7)]  # type: ignore[arg-type]
    assert waits == [0.75, 1.5, 3.0, 6.0, 7.5, 7.5]
    assert waiting.before(1, 50, rng) == pytest.approx(52.5)  # type: ignore[arg-type]
    assert waiting.before(1, 0, rng) == 0  # type: ignore[arg-type]
    assert waiting.before(1, 101, rng) is None  # type: ignore[arg-type]
    assert waiting.before(10**6, None, rng) == 7.5  # type: ignore[arg-type]
