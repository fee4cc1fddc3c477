"""Drafts a recipe: by the names of the columns and by simple kinds of cells; what these do not say stays open."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

from tiebreak.errors import shorten
from tiebreak.importers.cells import NOTHING, named_in, parse_number, parse_time, words_in, yes_in
from tiebreak.importers.entries import FIELDS
from tiebreak.importers.recipe import COLUMN, PLACEHOLDER, ROW, Columns, Recipe, columns_in, pattern_of
from tiebreak.importers.shaping import KINDS, Table, columns_read, open_columns, shapes_of

_EXAMPLES: Final = 3
_LONGEST: Final = 40


_SIDE_OF: Final = {"a": "a", "1": "a", "left": "a", "b": "b", "2": "b", "right": "b", "0": "c", "c": "c", "3": "c"}
_OF_A_SIDE: Final = ("system", "text", "sample")
_PEOPLE: Final = re.compile(
    r"(?:rater|annotator|worker|labell?er|evaluator|judge|reviewer|expert|person)[ _#-]*\d+", re.IGNORECASE
)
_TIMES: Final = words_in("timestamp time submittedat createdat tstamp date datetime")
_CRITERIA: Final = words_in(
    "fluency coherence relevance consistency faithfulness adequacy accuracy helpfulness harmlessness naturalness "
    "overall grammaticality informativeness quality clarity factuality style correctness engagingness readability"
)


PAIR_LACKING: Final = "system_a and system_b: the two systems that are compared; a second file may say them by item"
NOTHING_SAID: Final = "an output, a label or a score: no column is known to hold one"


@dataclass(frozen=True, slots=True)
class Draft:
    """A recipe that may not be whole: `open`: columns of which it is not known what they are, with examples of their
    cells; `lacking`: what no column says, and has to be said.
    """

    recipe: Recipe
    open: dict[str, str]
    lacking: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to be said."""
        return not self.open and not self.lacking


def plain(name: str) -> str:
    """A column's name as names are compared: without case, spaces, signs and accents."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(char for char in letters if char.isalnum())


def draft_of(table: Table, recipe: Recipe | None = None) -> Draft:
    """A recipe for a file, from what is said of it already."""
    given = recipe or Recipe()
    drafted = given if recipe is not None and recipe.fields and table.recipe.rows else _drafted(table, given)
    return completed(table, drafted)


def rows_within(table: Table) -> str:
    """The path of the one list in JSON records whose elements name their systems, and are rows of their own:
    `answers[*]`. "" where there is none, or several, or where the record says which of the elements is the better one.
    """
    lists: dict[str, dict[str, set[str]]] = {}
    for column in table.columns if table.is_nested else ():
        if match := re.fullmatch(r"(.+?)\.(\d+)\.(.+)", column):
            lists.setdefault(match[1], {}).setdefault(match[2], set()).add(plain(match[3]))
        elif plain(column) in FIELDS["outcome"].names:
            return ""
    systems = {*FIELDS["system"].names}
    paths = [name for name, elements in lists.items() if all(names & systems for names in elements.values())]
    return f"{paths[0]}[*]" if len(paths) == 1 else ""


def completed(table: Table, recipe: Recipe) -> Draft:
    """What a recipe leaves open, and what it lacks."""
    return Draft(recipe, {c: example_of(table, c) for c in open_columns(table, recipe)}, tuple(_lacking(table, recipe)))


def _drafted(table: Table, given: Recipe) -> Recipe:
    """What the names of columns say, beside what is said already: each step looks at the columns that are left."""
    drafting = _Drafting(table, given)
    drafting.take_sides()
    drafting.take_names()
    drafting.take_checkpoints()
    drafting.drop_what_stands_alone()
    drafting.take_columns_of_numbers()
    drafting.take_texts()
    drafting.take_times()
    order = [name for name in FIELDS if name in drafting.fields]
    return replace(given, fields={name: drafting.fields[name] for name in order})


class _Drafting:
    """Fields so far."""

    def __init__(self, table: Table, given: Recipe) -> None:
        self.fields: dict[str, Columns] = dict(given.fields)
        self._table, self._given = table, given
        taken = {column for name in given.fields for column in given.columns_of(name)} | set(given.ignore)
        taken |= set(given.split) | set(table.blank)
        self._columns = [c for c in table.columns if c not in taken and not table.is_counter(c)]
        lists = re.findall(r"[^.\[\]*{}]+", table.recipe.rows)
        self._list = f"{lists[-1]}." if lists else ""

    def _called(self, column: str) -> str:
        """The name of a column as names are compared, without that of the list whose elements are the rows."""
        return plain(column.removeprefix(self._list))

    def _has(self, *names: str) -> bool:
        return any(name in self.fields for name in names)

    @property
    def _free(self) -> list[str]:
        """The columns that no field reads."""
        read = columns_read(self._table, replace(self._given, fields=self.fields))
        return [column for column in self._columns if column not in read]

    def take_sides(self) -> None:
        """Columns that come in groups with a rating, or in two, one for each side."""
        for name, column in (_groups(self._columns) or _pairs(self._table, self._columns)).items():
            self.fields.setdefault(name, column)

    def take_names(self) -> None:
        """Columns that are called as a field is; of several that are, the only one whose cells differ."""
        used = {column for reading in self.fields.values() for column in columns_in(reading)}
        called: dict[str, list[str]] = {}
        for column in (column for column in self._columns if column not in used):
            for name, field in FIELDS.items():
                if self._called(column) in field.names and name not in self.fields:
                    called.setdefault(name, []).append(column)
        for name, columns in called.items():
            varied = [column for column in columns if len(self._table.examples[column]) > 1]
            best = varied if len(varied) == 1 else columns
            if len(best) == 1 and best[0] not in self.fields.values() and _may_be(self._table, best[0], name):
                self.fields[name] = best[0]

    def take_checkpoints(self) -> None:
        """A checkpoint is a system, called after its run and its step."""
        if self._has("step") and not self._has("system"):
            self.fields["system"] = "+".join(columns_in(self.fields.get("run", [])) + columns_in(self.fields["step"]))

    def drop_what_stands_alone(self) -> None:
        """Fields that mean nothing without another one; and of a metric a value is a score."""
        for name in [name for name in FIELDS if name in self.fields and name not in self._given.fields]:
            if FIELDS[name].needs and not self._has(*FIELDS[name].needs):
                del self.fields[name]
        answers = [column for name in ("value", "outcome") for column in columns_in(self.fields.get(name, []))]
        human = any(plain(column).startswith("human") for column in answers)
        if human and "judge" not in self._given.fields:
            self.fields.pop("judge", None)  # it judged something else
        if self._has("metric") and self._has("value") and not self._has("annotator"):
            self.fields["score"] = self.fields.pop("value")
        drafted = self.fields.keys() - self._given.fields.keys()
        if "text" in drafted and self._has("text_a") and not self._has("system"):
            del self.fields["text"]  # a third text is the prompt or a remark
        if "outcome" in drafted and self._has("system") and not self._has("system_a"):
            del self.fields["outcome"]  # of one output it is no winner
        if {"item", "input"} <= drafted:
            items, inputs = (self._table.examples[columns_in(self.fields[name])[0]] for name in ("item", "input"))
            if 2 * len(inputs) <= len(items) and not any(" " in cell.strip() for cell in inputs):
                del self.fields["input"]  # it says which data set several items are from

    def take_columns_of_numbers(self) -> None:
        """Ratings with a column for each person, or for each well-known criterion."""
        numbers = [column for column in self._free if _is_number(self._table, column)]
        people = [column for column in numbers if _PEOPLE.fullmatch(column.strip())]
        nested = self._table.is_nested
        criteria = [c for c in numbers if plain(c.rpartition(".")[2] if nested else c) in _CRITERIA]
        above = {column.rpartition(".")[0] for column in criteria} if nested else {""}
        if len(people) > 1 and self._has("system") and not self._has("value", "annotator"):
            self.fields |= {"value": people, "annotator": COLUMN}
        elif criteria and self._has("system") and not self._has("value", "criterion"):
            if above == {""}:
                self.fields |= {"value": criteria, "criterion": COLUMN}
            elif len(above) == 1 and {c for c in self._free if c.rpartition(".")[0] in above} <= set(numbers):
                self.fields["value"] = f"{above.pop()}.{{criterion}}"  # all that the object of the ratings holds

    def take_texts(self) -> None:
        """The two texts of a list beside two systems, or columns of texts that name their systems."""
        elements = [column for column in self._free if re.fullmatch(r"\w+\.[01]", column)]
        two = [column for column in elements if plain(column[:-2]).removesuffix("s") in FIELDS["text"].names]
        if self._has("system_a") and not self._has("text_a") and len(two) == 2:
            self.fields |= {"text_a": two[0], "text_b": two[1]}
        if not self._has("text", "system", "text_a", "system_a") and (form := _form(self._table, self._free)):
            self.fields["text"] = form

    def take_times(self) -> None:
        """When a label was given, in a form that can be read."""
        if self._has("annotator") and not self._has("decided_at"):
            times = [column for column in self._free if plain(column) in _TIMES]
            readable = [c for c in times if all(parse_time(cell) for cell in self._table.examples[c])]
            if len(times) == len(readable) == 1:
                self.fields["decided_at"] = times[0]


def _groups(columns: list[str]) -> dict[str, str]:
    """Columns that come in groups, each with a rating: `system1`, `text1`, `rating1`, `system2`, ..."""
    forms: dict[str, dict[str, set[str]]] = {}
    for column in columns:
        for before, mark, after in _MARKED.findall(column):
            key = plain(before + after)
            field = next(
                (name for name in _OF_A_GROUP if key in FIELDS[name].names or (name, key) == ("value", "score")), None
            )
            if field is not None:
                forms.setdefault(field, {}).setdefault(f"{before}{{k}}{after}", set()).add(mark)
    best = {name: max(marks_by_form.items(), key=lambda pair: len(pair[1])) for name, marks_by_form in forms.items()}
    if not {"system", "value"} <= best.keys() or best["system"][1] != best["value"][1] or len(best["value"][1]) < 2:
        return {}
    return {name: form for name, (form, marks) in best.items() if marks == best["value"][1]}


_MARKED: Final = re.compile(r"^(.*?)(\d|(?<![a-zA-Z])[ab])(?![a-zA-Z\d])(.*)$", re.IGNORECASE)
_OF_A_GROUP: Final = ("system", "text", "value", "sample")


def _pairs(table: Table, columns: list[str]) -> dict[str, str]:
    """Columns that come in two, one for each side: `model_a` and `model_b`, `left_model`, `Response 1`."""
    every: dict[str, dict[str, list[str]]] = {}
    for column in columns:
        for rest, side in _sided(column):
            every.setdefault(rest, {}).setdefault(side, []).append(column)
    sides = {
        rest: {side: named[0] for side, named in both.items()}
        for rest, both in every.items()
        if all(len(named) == 1 for named in both.values())  # else two columns say what the first is
    }
    choices: dict[str, list[dict[str, str]]] = {}
    named = any(len(both) == 2 and plain(rest) in ("", *FIELDS["system"].names) for rest, both in sides.items())
    for rest, both in sides.items():
        if len(both) < 2 or "c" in both:
            continue
        key = plain(rest)
        field = next((name for name in _OF_A_SIDE if {key, key.removesuffix("s")} & {*FIELDS[name].names}), None)
        names = _are_names(table, both["a"], both["b"])
        if not key and names and _come_again(table, both["a"], both["b"]):
            field = "system"
        elif (field == "system") != names and (field == "system" or not named):
            continue  # the texts of a model A and a model B; or answers that are names, of systems or of anything
        if field is not None:
            left = {"left": both["a"]} if field == "system" and "left" in plain(both["a"]) else {}
            choices.setdefault(field, []).append({f"{field}_a": both["a"], f"{field}_b": both["b"], **left})
    fields = {name: column for pairs in choices.values() if len(pairs) == 1 for name, column in pairs[0].items()}
    return fields if fields.keys() & {"system_a", "text_a"} else {}


def _are_names(table: Table, *columns: str, most: int = 50) -> bool:
    """Whether the cells are few, short, and come again or have no spaces, as texts of systems do not."""
    cells = {cell for column in columns for cell in table.examples[column]}
    again = sum(table.filled[column] for column in columns) > len(cells) or not any(" " in c.strip() for c in cells)
    return 0 < len(cells) <= most and all(len(cell) <= _LONGEST for cell in cells) and again


def _come_again(table: Table, *columns: str) -> bool:
    """Whether the cells come twice or more, as names of systems do; yes and no are answers."""
    cells = {cell for column in columns for cell in table.examples[column]}
    again = sum(table.filled[column] for column in columns) >= 2 * len(cells)
    return again and not any(parse_number(cell) is not None for cell in cells)


def _sided(column: str) -> list[tuple[str, str]]:
    """What a name is without its side, and the side; "c" for a third one."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", column)
    spots = [k for k, part in enumerate(parts) if part.casefold() in _SIDE_OF]
    if len(spots) != 1:
        return []
    (spot,) = spots
    return [("".join(parts[:spot] + parts[spot + 1 :]), _SIDE_OF[parts[spot].casefold()])]


def _may_be(table: Table, column: str, name: str) -> bool:
    """Whether the cells can be those of the field: a rating is a number, a text is none, people have names."""
    cells = table.examples[column]
    if name in ("value", "rank", "p_a", "p_tie", "p_b", "step", "total_steps", "dev_loss", "wins_a", "ties", "wins_b"):
        return _is_number(table, column)
    if name in ("text", "edit"):
        return not _is_number(table, column)
    if name == "decided_at":
        return all(parse_time(cell) for cell in cells)
    if name == "judge":  # a model; where people are called so, their numbers tell
        return not _is_number(table, column) and not any(_PEOPLE.fullmatch(cell.strip()) for cell in cells)
    if name in ("annotator", "reference") and all(yes_in(cell) is not None for cell in cells):
        return False  # whether somebody is an expert, or something is known
    return name not in ("annotator", "system") or _are_names(table, column, most=KINDS)  # and no message of a chat


def _is_number(table: Table, column: str) -> bool:
    cells = [cell for cell in table.examples[column] if cell.strip().casefold() not in NOTHING]
    return bool(cells) and all(parse_number(cell, decimal_comma=True) is not None for cell in cells)


def _form(table: Table, columns: list[str]) -> str:
    """The form of columns of texts that name their systems, such as `Summary ({system})`; "" where there is none."""
    forms: Counter[str] = Counter()
    for column in columns:
        for word in FIELDS["text"].names:
            match = re.search(rf"(?<![a-z]){word}s?(?![a-z])", column, re.IGNORECASE)
            if match is None or _is_number(table, column):
                continue
            if re.search(r"\.\d+(\.|$)", column):
                break  # elements of a list
            before, after = column[: match.start()], column[match.end() :]
            if (opened := re.fullmatch(r"(\W+)(.*\w)(\W*)", after)) and not before.strip():
                forms[f"{column[: match.end()]}{opened[1]}{{system}}{opened[3]}"] += 1
            elif (closed := re.fullmatch(r"(\W*)(\w.*?)(\W+)", before)) and not after.strip():
                forms[f"{closed[1]}{{system}}{closed[3]}{column[match.start() :]}"] += 1
            break
    for form, count in forms.most_common(1):
        matches = {column: match for column in columns if (match := pattern_of(form).fullmatch(column))}
        systems = {match["system"] for match in matches.values()}
        others = (cell for column in table.columns if column not in matches for cell in table.examples[column])
        named = form.endswith(")") or any(named_in(cell, systems) for cell in others)  # else parts of one text
        if count > 1 and named and not any(_is_number(table, column) for column in matches):
            return form
    return ""


def _lacking(table: Table, recipe: Recipe) -> list[str]:
    """What a recipe has to say, and does not."""
    gaps: list[str] = []
    forms = [form for name in recipe.fields for form in recipe.columns_of(name)]
    fields = recipe.fields.keys() | {name for form in forms for name in PLACEHOLDER.findall(form)}
    if not fields & {"item", "input"}:
        gaps.append(f'item: which item a row is about; item = "{ROW}" if each row is one of its own')
    labels = fields & {"outcome", "ranking", "rank", "value", "edit", "support", "sensible", "plausible", "wins_a"}
    if labels and not fields & {"annotator", "judge"}:
        gaps.append('annotator: who labelled; a column, or annotator = ":NAME" for one person, or judge = ":MODEL"')
    pair = fields & {"outcome", "wins_a"} and not {"system_a", "system_b"} <= fields
    if pair and not any({"outcome", "system_a"} <= shape.cells.keys() for shape in shapes_of(table, recipe)[0]):
        gaps.append(PAIR_LACKING)
    if fields & {"text", "value", "score", "edit", "support", "rank"} and "system" not in fields:
        gaps.append('system: who wrote the output; a column, system = ":NAME", or system = ":file"')
    if fields & {"text_a", "text_b"} and not {"system_a", "system_b"} <= fields:
        gaps.append("system_a and system_b: who wrote the two texts; columns, or constants such as :first and :second")
    if not fields & {"text", "text_a", "score", "passage_text", "reference", "input", "p_b"} | labels:
        gaps.append(NOTHING_SAID)
    return list(dict.fromkeys(gaps))


def example_of(table: Table, column: str) -> str:
    """Some cells of a column, the most frequent first."""
    seen = table.examples[column]
    shown = [shorten(" ".join(cell.split()), _LONGEST) for cell, _ in seen.most_common(_EXAMPLES)]
    return " | ".join(shown) + (" | ..." if len(seen) > len(shown) else "")
