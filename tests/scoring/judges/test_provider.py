"""What went wrong with a call, from what the packages of the providers raise and what servers write."""

from __future__ import annotations

import pytest

from tiebreak.scoring.judges.provider import rejection

SENT = {"temperature": 0, "response_format": {}, "max_completion_tokens": 9, "logprobs": True, "top_logprobs": 20}


@pytest.mark.parametrize(
    ("status", "error", "why", "parameter"),
    [
        (429, {"message": "slow down"}, "failed", None),
        (529, {"message": "Overloaded"}, "failed", None),
        (429, {"message": "x", "code": "insufficient_quota"}, "hopeless", None),
        (400, {"message": "Your credit balance is too low"}, "hopeless", None),
        (401, {"message": "x"}, "hopeless", None),
        (402, {"message": "x"}, "hopeless", None),
        (404, {"message": "x"}, "hopeless", None),
        (500, {"message": "x"}, "failed", None),
        (408, {"message": "x"}, "failed", None),
        (400, {"message": "x", "param": "temperature"}, "parameter", "temperature"),
        (400, {"message": "x", "param": "response_format.json_schema"}, "parameter", "response_format"),
        (400, {"message": "x", "param": "max_tokens"}, "parameter", "max_completion_tokens"),
        (400, {"message": "temperature in messages", "param": "messages[1].content"}, "failed", None),
        (400, {"message": "`temperature` may only be set to 1"}, "parameter", "temperature"),
        (422, {"message": "max_tokens too large, and temperature"}, "parameter", "max_completion_tokens"),
        (400, {"message": "json_schema is not supported"}, "parameter", "response_format"),
        (400, {"message": "top_logprobs must be below 5"}, "parameter", "top_logprobs"),
        (400, {"message": "the temperatures are falling"}, "failed", None),
        (413, {"message": "too large"}, "failed", None),
        (400, {"message": "x", "code": "content_filter"}, "filtered", None),
        (400, {"message": "blocked by our content management policy"}, "filtered", None),
    ],
)
def test_errors_of_servers(status: int, error: dict[str, str], why: str, parameter: str | None) -> None:
    for body in ({"error": error}, error, {"type": "error", "error": {"type": "error", "error": error}}):
        found = rejection(status, body, SENT)
        assert (found.why, found.parameter) == (why, parameter)
        assert found.message.startswith(f"{status}: ")


def test_bodies_that_are_no_errors() -> None:
    for body in (None, "", "<html>", [], {"error": None}, {"error": "text"}, 3):
        assert rejection(400, body, SENT).why == rejection(503, body, SENT).why == "failed"
