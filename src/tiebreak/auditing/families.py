"""Families of models, by the words in their names: a judge may favour its own."""

from __future__ import annotations

import re
from typing import Final

_FAMILIES: Final = {
    "GPT": ("gpt", "chatgpt", "openai", "davinci", "o"),
    "Claude": ("claude", "anthropic", "sonnet", "opus", "haiku"),
    "Gemini": ("gemini", "gemma", "bard", "palm", "google"),
    "Llama": ("llama", "vicuna", "alpaca", "guanaco", "pandalm"),
    "Mistral": ("mistral", "mixtral", "ministral", "codestral", "zephyr"),
    "Qwen": ("qwen", "qwq"),
    "DeepSeek": ("deepseek",),
    "Command": ("cohere", "command", "aya"),
    "Phi": ("phi",),
    "Grok": ("grok", "xai"),
    "GLM": ("glm", "chatglm"),
    "Yi": ("yi",),
    "Nova": ("nova",),
    "Falcon": ("falcon",),
    "OLMo": ("olmo", "tulu"),
}
"""Words that a model's name may have, by family; a fine-tuned model counts to what it was made from."""

_WORDS: Final = re.compile(r"[a-z]+")
_O_SERIES: Final = re.compile(r"(?<![a-z0-9])o[134](?![0-9])")


def family_of(name: str) -> str | None:
    """The family that a name points to, if it points to one and no other."""
    folded = name.casefold()
    words = set(_WORDS.findall(folded)) - {"o"}
    if _O_SERIES.search(folded):
        words.add("o")
    found = {family for family, marks in _FAMILIES.items() if words & set(marks)}
    return found.pop() if len(found) == 1 else None


def same_family(judge: str, system: str) -> str | None:
    """What both names point to: a family, or the same name; None otherwise."""
    family = family_of(judge)
    if family is not None and family == family_of(system):
        return family
    return system if judge.casefold() == system.casefold() else None
