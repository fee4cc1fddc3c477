"""Whose name it is: a model's, a person's, or either."""

from __future__ import annotations

import pytest

from tiebreak.importers.spreadsheet.model_names import are_models, kind_of_name


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4", "GPT-4o", "gpt4", "gpt-3.5-turbo-0613", "claude-3-opus", "Claude v2", "llama-3-70b", "Llama2 13B",
        "o1-mini", "o3", "gemini-1.5-pro", "weighted_alpaca_eval_gpt4_turbo", "mixtral-8x7b", "prometheus-13b-v1.0",
        "alpaca_eval_gpt4", "ChatGPT", "PandaLM", "qwen2-72b-instruct", "some-org/judge-7b", "gemma-2-9b",
    ],
)  # fmt: skip
def test_models(name: str) -> None:
    assert kind_of_name(name) == "model"


@pytest.mark.parametrize(
    "name", ["expert_12", "arena_user_973", "author_0", "rater3", "worker-17", "Annotator 2", "user"]
)
def test_people(name: str) -> None:
    assert kind_of_name(name) == "person"


@pytest.mark.parametrize("name", ["ann", "Claude", "Gemma", "u1", "A2UF2FRGVW4T89", "17", "Bart", "Philippa", "Grok"])
def test_names_that_may_be_anybodys(name: str) -> None:
    assert kind_of_name(name) == "unclear"


def test_all_must_be_models() -> None:
    assert are_models(["gpt-4", "gpt-4o"])
    assert not are_models(["gpt-4", "ann"])
    assert not are_models([])
