"""Whose name it is: a model's, a person's, or either."""

from __future__ import annotations

import pytest

from tiebreak.importers.spreadsheet.model_names import kind_of_name, kinds_of

KINDS: dict[str, list[str]] = {
    "model": [
        "gpt-4", "GPT-4o", "gpt4", "gpt-3.5-turbo-0613", "claude-3-opus", "Claude v2", "llama-3-70b", "Llama2 13B",
        "o1-mini", "o3", "gemini-1.5-pro", "weighted_alpaca_eval_gpt4_turbo", "mixtral-8x7b", "prometheus-13b-v1.0",
        "alpaca_eval_gpt4", "ChatGPT", "PandaLM", "qwen2-72b-instruct", "some-org/judge-7b", "gemma-2-9b", "sonnet-4",
        "nova-pro", "openai/o1", "auto-eval", "claude-3-5-sonnet@20240620", "command-r-plus", "yi-34b-chat",
        "phi-3-mini-4k-instruct", "flan-t5-xl", "T5 (large)", "meta-llama/Meta-Llama-3-70B-Instruct", "deepseek-r1",
        "PaLM 2", "LLM judge", "gemini-1.5-pro-exp-0801", "claude-sonnet", "gpt4turbo", "Yi Large", "gemma2",
    ],
    "person": [
        "expert_12", "arena_user_973", "author_0", "rater3", "worker-17", "Annotator 2", "user", "human", "expert_bert",
    ],
    "either": [
        "Claude", "Gemma", "Grok", "Palm", "Koala", "Opus", "Nova", "Ernie", "annotator_gpt4", "expert_llama", "ai",
        "Bart Simpson 3", "claude annotator", "Bot 1", "Anna 7B", "sys", "falcon7", "bart92",
    ],
    "unclear": [
        "ann", "u1", "A2UF2FRGVW4T89", "A3GPT4K8YI2AI", "17", "17b", "Bart", "Bert", "Philippa", "Flan O'Brien",
        "Falcon, Peter", "Claude Monet", "M. Claude", "Yi Wang", "p-104", "5f3a-41yi",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for kind, names in KINDS.items() for name in names])
def test_kinds_of_names(name: str, kind: str) -> None:
    assert kind_of_name(name) == kind


def test_people_with_numbers() -> None:
    """o1 and t5 are models; o1, o2 and o5 are people."""
    assert kinds_of(["o1", "o2", "o5"]) == dict.fromkeys(["o1", "o2", "o5"], "unclear")
    assert kinds_of(["t5", "ann"])["t5"] == "model"
