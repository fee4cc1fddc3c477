"""Tells names of models from names of people, for who labelled or judged."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, Literal

from tiebreak.importers.spreadsheet.header_words import SYNONYMS, header_key, word_set

_MODELS: Final = word_set(
    "gpt chatgpt llama mistral mixtral qwen qwq deepseek vicuna alpacaeval alpacafarm prometheus pandalm judgelm "
    "davinci dbrx nemotron cohere autoj skywork internlm baichuan chatglm glm moonshot hunyuan jurassic wizardlm "
    "oasst bloomz orca openchat guanaco stablelm unieval openai anthropic deepmind mistralai huggingface llm llms "
    "autoeval autorater autojudge auto automatic automated"
)
"""Words that no person is called by."""

_ALSO_PEOPLE: Final = word_set(
    "claude gemini gemma bard alpaca phi yi command opt bart bert falcon comet grok palm koala flan dolly bloom ernie "
    "kimi selene olmo zephyr nova sonnet opus haiku tulu starling"
)
"""Families whose bare name may be a person's or anything else's; with a version they are models."""

_JUDGED_NOTHING: Final = word_set("phi yi command opt bart bert flan bloom")
"""Of those, models that nobody asks to judge: a bare name is a person's."""

_MACHINES: Final = word_set("ai ki bot robot machine model system sys")
"""What may stand for a model, or for a person's account."""

_VERSIONS: Final = word_set(
    "turbo instant flash instruct chat pro mini nano ultra small medium large max plus lite preview latest exp beta "
    "base it hf sft dpo rlhf thinking vision reasoning distill next r xl omni eval sonnet opus haiku judge evaluator "
    "grader api google"
)
_PEOPLE: Final = word_set(
    "user expert author rater annotator worker participant human person turker student crowd labeler labeller member "
    "volunteer linguist translator"
)
_PERSON: Final = re.compile(rf"(?:{'|'.join(sorted(_PEOPLE))})s?[-_ ]?\w*")
_NUMBERED_FAMILY: Final = re.compile(r"(?<![a-z])m?t5(?![a-z0-9])")
_SIZE: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?b(?![a-z0-9])")
_OPENAI: Final = re.compile(r"(?:.*/)?o[134](?:[-_ ](?:mini|pro|preview).*)?")
_CHUNK: Final = re.compile(r"(?P<word>[^\W\d_]*)(?P<rest>(?:\d[^\W_]*)?)")
_LATER_VERSION: Final = re.compile(r"[5-9]|\d\d+")
"""Glued to a word that is a name too, as in `falcon7` and `bart92`, it makes the name of an account as well."""

Kind = Literal["model", "person", "either", "unclear"]
"""`either`: it may be a model's or a person's name; `unclear`: nothing speaks of a model."""


def kind_of_name(name: str) -> Kind:
    """What a name of somebody who judged says: `gpt-4` is a model, `expert_12` a person, Claude may be either."""
    plain = name.strip().casefold()
    words, versions = _parts(plain)
    families = words & (_MODELS | _ALSO_PEOPLE)
    if words & _PEOPLE or _PERSON.fullmatch(plain):
        return "either" if families - _JUDGED_NOTHING else "person"
    if words & _MODELS or _NUMBERED_FAMILY.search(plain) or _OPENAI.fullmatch(plain):
        return "model"
    sized = bool(words) and _SIZE.search(plain) is not None
    if families:
        return "model" if sized else _of_ambiguous_family(plain, words, versions, families)
    if sized and words & _VERSIONS:
        return "model"
    return "either" if sized or words & _MACHINES else "unclear"


def _of_ambiguous_family(plain: str, words: set[str], versions: set[str], families: set[str]) -> Kind:
    """`Claude 3` is a model, `Claude Monet` none, `Bart Simpson 3` may be one, and so may `bart92`."""
    others = words - families - _VERSIONS
    versions = versions | (words & _VERSIONS) - families
    if others:
        return "either" if versions else "unclear"
    if not versions and len(families) == 1:
        return "unclear" if families <= _JUDGED_NOTHING else "either"
    glued = plain.isalnum() and all(map(_LATER_VERSION.fullmatch, versions))
    return "either" if glued and versions else "model"


def _parts(plain: str) -> tuple[set[str], set[str]]:
    """The words of a name and what begins with a digit; what follows a digit is no word: `a3gpt` is an account."""
    chunks = [found for chunk in re.split(r"[\W_]+", plain) if chunk for found in (_CHUNK.fullmatch(chunk),) if found]
    words = {found["word"] for found in chunks if len(found["word"]) > 1 or (found["word"] and not found["rest"])}
    return words, {found["rest"] for found in chunks if found["rest"]}


def kinds_of(names: Iterable[str]) -> dict[str, Kind]:
    """The kind of each of the names of one column; o1 beside o2 and o5 are people with numbers."""
    kinds = {name: kind_of_name(name) for name in names}
    numbered: dict[str, list[str]] = defaultdict(list)
    for name in kinds:
        numbered[re.sub(r"\d+", "", name.strip().casefold())].append(name)
    for letters, alike in numbered.items():
        if len(letters) == 1 and any(kinds[name] != "model" for name in alike):
            kinds |= dict.fromkeys(alike, "unclear")
    return kinds


def are_models(names: Iterable[str]) -> bool:
    """Whether there are names and all are models'."""
    return set(kinds_of(names).values()) == {"model"}


def is_called_as_a_model(name: str) -> bool:
    """Whether something that is no person has the name of a model: `gpt-4o`, and `Claude` or `Bard` too."""
    plain = name.strip().casefold()
    return kind_of_name(name) == "model" or plain in _ALSO_PEOPLE or _SIZE.search(plain) is not None


def judge_of_column(column: str) -> str:
    """Whose answers a column holds that is called `gpt-4 vote`, `Claude's choice` or `ai_label`; "" if it names no
    model.
    """
    parts = [part for part in _PART.split(_POSSESSIVE.sub("", column)) if part and header_key(part) not in _SAID]
    name = " ".join(parts)
    machine = name.casefold() in _MACHINES - {"model", "system"}
    return name if len(parts) <= MOST_PARTS and (machine or is_called_as_a_model(name)) else ""


MOST_PARTS: Final = 3
"""A name has no more words; what is longer asks a question about models."""

_PART: Final = re.compile(r"[\s_.:()\[\]]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_SAID: Final = frozenset(
    {*SYNONYMS["outcome"], "votes", "says", "said", "by", "of", "annotation", "annotations", "labels"}
)
