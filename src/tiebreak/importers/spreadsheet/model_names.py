"""Tells names of models from names of people, for who labelled or judged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from tiebreak.importers.spreadsheet.header_words import word_set

_FAMILIES: Final = word_set(
    "gpt chatgpt claude llama gemini gemma mistral mixtral qwen palm deepseek vicuna alpaca alpacaeval "
    "alpacafarm prometheus pandalm judgelm davinci falcon grok opt bloom phi yi command dbrx nemotron "
    "selene bard cohere autoj skywork internlm baichuan chatglm glm moonshot kimi ernie hunyuan jurassic "
    "wizardlm zephyr koala dolly oasst starling tulu olmo flan t5 bert mt5 bart unieval comet llm"
)
_ALSO_PEOPLE: Final = word_set("claude gemma bard alpaca phi yi command opt bart falcon comet grok")
"""Families whose bare name may be a person's or anything else's; with a version they are models."""

_FAMILY: Final = re.compile(rf"(?<![a-z])(?P<family>{'|'.join(sorted(_FAMILIES, key=len, reverse=True))})(?![a-z])")
_VERSION: Final = re.compile(
    r"\d|turbo|sonnet|opus|haiku|instant|flash|instruct|chat|(?<![a-z])(?:pro|mini|large|eval)"
)
_SIZE: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?b(?![a-z0-9])")
_OPENAI: Final = re.compile(r"o[134](?:[-_ ](?:mini|pro|preview).*)?")
_PERSON: Final = re.compile(
    r"(?:user|expert|author|rater|annotator|worker|participant|human|person|turker|student|crowd|labell?er|member"
    r"|arena_user|volunteer|linguist|translator)s?[-_ ]?\w*"
)

Kind = Literal["model", "person", "unclear"]


def kind_of_name(name: str) -> Kind:
    """What a name of somebody who judged says: `gpt-4` is a model, `expert_12` a person, `ann` may be either."""
    plain = name.strip().casefold()
    if _PERSON.fullmatch(plain):
        return "person"
    if _OPENAI.fullmatch(plain) or _SIZE.search(plain):
        return "model"
    found = _FAMILY.search(plain)
    if found is None:
        return "unclear"
    return "unclear" if found["family"] in _ALSO_PEOPLE and not _VERSION.search(plain) else "model"


def are_models(names: Iterable[str]) -> bool:
    """Whether there are names and all are models'."""
    kinds = {kind_of_name(name) for name in names}
    return kinds == {"model"}
