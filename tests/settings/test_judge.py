"""What can be said of a judge, and what cannot."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tiebreak.errors import UsageError
from tiebreak.settings.judge import JudgeSettings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"provider": "opneai"}, "must be one of openai, anthropic: did you mean openai?"),
        ({"temperature": 3.0}, "temperature is 3.0, but must be from 0 to 2"),
        ({"max_tokens": 4096}, "max-tokens is 4096, but must be a whole number from 8,192 to 1,000,000"),
        ({"input_price": -1.0}, "input-price is -1.0"),
        ({"timeout": 0.0}, "timeout is 0.0"),
        ({"connections": 0}, "connections is 0"),
        ({"orders": "all"}, "must be one of both, one"),
        ({"model": " "}, "model is blank"),
        ({"rubric": ""}, "rubric is blank"),
        ({"base_url": "localhost:8000"}, "base_url must be an address such as http://localhost:8000/v1"),
        ({"base_url": "ftp://x"}, "base_url must be an address"),
        ({"base_url": "http://me:pw@x/v1"}, "keys come from the environment"),
        ({"key_from": "my-key"}, "must be the name of an environment variable in capitals"),
        ({"labels": ("A", "B")}, "labels must be 3 different words"),
        ({"labels": ("A", "A", "C")}, "labels must be 3 different words"),
        ({"labels": ("A",), "ties": False}, "labels must be 2 different words"),
        ({"labels": ("A", "B b", "C")}, "without blanks and square brackets"),
        ({"labels": ("A", "[B]", "C")}, "without blanks and square brackets"),
        ({"scale": (5.0, 1.0)}, "scale must be two whole numbers, the lower one first"),
        ({"scale": (1.0, 1.5)}, "scale must be two whole numbers"),
        ({"scale": (1.0, 2.0, 3.0)}, "scale must be two whole numbers"),
        ({"scale": (1.0, 101.0)}, "scale is (1.0, 101.0), but must be from 0 to 100"),
        ({"provider": "anthropic", "logprobs": True}, "gives no log-probabilities"),
        ({"rubric": "x", "logprobs": True}, "logprobs = true is for a judge that compares"),
        ({"parameters": {"messages": []}}, "parameters has messages"),
        ({"parameters": {"n": 2}}, "parameters has n"),
    ],
)
def test_what_cannot_be(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        JudgeSettings(**values)
    assert message in str(caught.value)


def test_what_can_be() -> None:
    made = JudgeSettings(model="m", labels=("1", "2"), ties=False, parameters={"thinking": {"type": "enabled"}})
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.labels == ("1", "2")
    assert not made.grades
    assert JudgeSettings(rubric="5: good").grades
    with pytest.raises(TypeError):
        made.parameters["x"] = 1  # type: ignore[index]
