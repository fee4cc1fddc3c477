"""What cannot be meant, whatever a recipe says: refused with the reason and what to change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tiebreak.errors import Problem
from tiebreak.importers.collected import Collected
from tiebreak.importers.recipe import COLUMN, FILE, Recipe

_ENOUGH: Final = 3
"""Items on which texts agree before that means anything."""
_CRITERIA: Final = re.compile(
    r"\?|(?<![a-z])(?:fluen|coheren|relevan|consisten|faithful|accura|adequa|helpful|harmless|overall|grammar|natural|"
    r"quality|factual|correct|clarity|style|informative)",
    re.IGNORECASE,
)
_MODELS: Final = re.compile(
    r"(?<![a-z])(?:gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|command-r)[-_ ]?\d|chatgpt|llm", re.IGNORECASE
)
_TOTALS: Final = frozenset({"total", "mean", "average", "avg", "median", "sum", "summary", "majority"})
_LONGEST_NAME: Final = 80


def problems_of(collected: Collected, recipes: Mapping[str, Recipe], *, texts: bool) -> Iterator[Problem]:
    """All of it. `recipes`: by file; `texts`: whether texts are looked at, as recipes say where they stand."""
    if texts:
        yield from _references(collected)
        yield from _same_texts(collected)
    yield from _no_people(collected)
    yield from _totals(collected)
    yield from _criteria_as_people(recipes)
    yield from _files_as_systems(recipes)


def _texts(collected: Collected) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for (item, system, _), (text, _) in collected.outputs.items():
        found.setdefault(system, {})[item] = text
    return found


def _at(collected: Collected, field: str, name: str, message: str) -> Problem:
    """The problem that a name is, where it stands first."""
    place = collected.place_of(field, name)
    if place is None:
        return Problem("", message, column=field, value=name)
    return place.problem(message, field, name)


def _references(collected: Collected) -> Iterator[Problem]:
    """One system among several may be the people who wrote the references."""
    outputs = [(item, text) for texts in _texts(collected).values() for item, text in texts.items()]
    same = sum(collected.items.get(item, {}).get("reference") == text for item, text in outputs)
    if same >= _ENOUGH and same == len(outputs):
        message = "every output is the reference of its item: the column of text is that of the reference; change text"
        yield _at(collected, "system", next(iter(collected.outputs))[1], message)


def _same_texts(collected: Collected) -> Iterator[Problem]:
    texts = list(_texts(collected).items())
    if len(texts) < 2:
        return
    first, own = texts[0]
    shared = [item for item in own if all(item in of for _, of in texts[1:])]
    different = len({own[item] for item in shared})
    if different >= _ENOUGH and all(len({of[item] for _, of in texts}) == 1 for item in shared):
        message = f"all systems have the same text on every item ({own[shared[0]]!r}): this is no output; change text"
        yield _at(collected, "system", first, message)


def _no_people(collected: Collected) -> Iterator[Problem]:
    """Questions, and models, that stand for annotators."""
    tables = ("preferences", "ratings", "edits", "spans")
    for name in dict.fromkeys(str(row["annotator"]) for table in tables for row in collected.rows[table]):
        if "?" in name or len(name) > _LONGEST_NAME:
            yield _at(collected, "annotator", name, "this is nobody's name; say who labelled: --map annotator=COLUMN")
        elif _MODELS.search(name):
            message = (
                "this is called like a model, whose answers are no labels of people: --map judge=COLUMN; if it is a "
                f"person: --value 'annotator:{name}=NAME'"
            )
            yield _at(collected, "annotator", name, message)
        elif name.casefold() in _TOTALS:
            yield _at(collected, "annotator", name, "this is a summary of other people's labels; leave it out")


def _totals(collected: Collected) -> Iterator[Problem]:
    for item in collected.items:
        if item.casefold() in _TOTALS:
            yield _at(collected, "item", item, "this row sums up others; leave it out with [skip] in a recipe")


def _criteria_as_people(recipes: Mapping[str, Recipe]) -> Iterator[Problem]:
    for file, recipe in recipes.items():
        if COLUMN not in recipe.columns_of("annotator"):
            continue
        columns = [c for name in ("value", "outcome") for c in recipe.columns_of(name)]
        criteria = [column for column in columns if _CRITERIA.search(column)]
        if criteria:
            message = f'this asks for something and is nobody\'s name: write criterion = "{COLUMN}", and who labelled'
            yield Problem(file, message, column="annotator", value=criteria[0], part="key")


def _files_as_systems(recipes: Mapping[str, Recipe]) -> Iterator[Problem]:
    named = [file for file, of in recipes.items() if any(not s.startswith(":") for s in of.columns_of("system"))]
    for file, recipe in recipes.items():
        if recipe.columns_of("system") == [FILE] and named:
            message = f"{named[0]} names its systems in a column, so this file may hold no outputs; name the system"
            yield Problem(file, message, column="system", value=FILE, part="key")
