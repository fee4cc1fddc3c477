"""The tables of a study while they are collected from the entries of one or several files.

An item or output may be stated many times (in every row about it) as long as it is stated alike. Whatever contradicts
this is a problem with file, row, column and value; all are reported together, one line for each cause. Labels that
repeat or contradict each other are kept: which of them counts is for whoever compares.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, count
from typing import Final

from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.settings import Scalar, step_of_checkpoint, wrong_part
from tiebreak.errors import Problem
from tiebreak.importers import cells
from tiebreak.importers.entries import Entry, Problems, Reading, Skipped, texts_of
from tiebreak.tabular.source import Place

Row = dict[str, object]
DEFAULT_CRITERION: Final = "overall"
NOBODY: Final = "annotator"
_NAMED: Final = ("item", "input", "system", "system_a", "system_b", "annotator", "judge", "criterion", "metric")
"""Fields of which it is known where each of their values stands first."""
_DETAILS: Final = ("input", "context", "cluster")
_OF_TRAININGS: Final = ("run", "step", "total_steps", "dev_loss")
_MOST_WINS: Final = 100_000
_TRUTHS: Final = {"true": True, "false": False}


class Collected:
    """The rows of all tables so far, and what was read, left out and wrong."""

    def __init__(self) -> None:
        self.items: dict[str, Row] = {}
        self.rows: dict[TableName, list[Row]] = {name: [] for name in TABLES}
        self.trainings: dict[str, dict[str, tuple[Scalar, Place]]] = {}
        self.unnamed = 0
        self.in_both_orders = False
        self.problems = Problems()
        self._stated: dict[tuple[object, ...], tuple[object, Place]] = {}
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._readings: Counter[tuple[str, str, str, str]] = Counter()
        self._numbers: dict[tuple[str, str], dict[str, Entry]] = {}
        self._by_nobody: list[tuple[TableName, Row, str, tuple[object, ...]]] = []
        self._files_with_people: set[str] = set()
        self._passage_names: dict[str, dict[str, str]] = {}
        self._ranks: dict[tuple[str, ...], tuple[Entry, dict[str, float]]] = {}
        self._items_of_input: dict[tuple[str, str], dict[str, None]] = {}
        self._by_words: dict[tuple[str, str, str], tuple[Entry, str, str]] = {}
        self.made: dict[tuple[str, str], str] = {}
        self._first: dict[tuple[str, str], Place] = {}
        self._pairs: dict[str, dict[str, object]] = {}

    # ---- one entry -------------------------------------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """State what an entry says; what cannot be so is a problem."""
        if not entry.fields:
            self.skip(entry, "rows that the recipe leaves out" if entry.side == "skip" else "rows that are no labels")
            return
        item = self._item(entry)
        if item is None:
            return
        for name in _NAMED:
            if value := entry.text(name):
                self._first.setdefault((name, value), entry.place)
        if entry.text("annotator") and entry.text("judge"):
            message = "a row has an annotator and a judge: say whose answer it is, a person's or a model's"
            self.problems.add(entry, "judge", message, "both")
            return
        self._add_item(item, entry)
        pair = [(entry.text(f"system{side}"), entry.text(f"sample{side}")) for side in ("_a", "_b")]
        # Of two outputs of one system nothing says which is its own.
        for side in ("", "_a", "_b") if pair[0] != pair[1] else ("",):
            if not entry.text(f"system{side}") or f"text{side}" not in entry.fields:
                continue
            if texts_of(entry.fields[f"text{side}"]):
                self._add_output(item, entry, side)
            else:
                self.skip(entry, f"{entry.column(f'text{side}')} is blank: no output")
        if entry.text("passage") or entry.text("passage_text"):
            self._add_passage(item, entry)
        if any(entry.text(name) for name in ("system_a", "system_b", "outcome")):
            self._add_pair(item, entry)
        if entry.text("ranking"):
            self._add_ranking(item, entry)
        system = entry.text("system")
        if system:
            self._add_of_one(item, system, entry)
        elif any(entry.text(name) for name in ("value", "score", "edit", "support", "rank")):
            self.problems.add_blank(entry, "system")

    def _item(self, entry: Entry) -> str | None:
        item = entry.text("item")
        key = (entry.text("input"), entry.text("context"))
        if item:
            if key[0]:
                self._items_of_input.setdefault(key, {})[item] = None
            return item
        if "item" in entry.fields or not key[0]:
            self.problems.add_blank(entry, "item" if "item" in entry.fields else "input")
            return None
        named = list(self._items_of_input.get(key, ()))
        if len(named) > 1:
            message = f"this is the input of several items ({', '.join(named[:3])}), and no column says which is meant"
            self.problems.add(entry, "input", message, "several items")
            return None
        if not named and key not in self.made:
            numbers = count(len(self.made) + 1)
            self.made[key] = next(name for number in numbers if (name := f"item{number:04d}") not in self.items)
        return named[0] if named else self.made[key]

    def _add_item(self, item: str, entry: Entry) -> None:
        known = self.items.setdefault(item, {"item": item})
        references = texts_of(entry.fields.get("reference"))
        details: Row = {name: str(entry.fields[name]) for name in _DETAILS if entry.text(name)}
        if len(references) == 1:
            details["reference"] = references[0]
        elif references:
            details["references"] = tuple(references)
        for name, text in details.items():
            known.setdefault(name, text)
            what, cell = f"item {item} has another {name}", texts_of(text)[0]
            self._is_new((item, name), text, entry, name, what, _of_columns(entry, _APART), cell)

    def _add_output(self, item: str, entry: Entry, side: str) -> None:
        text = str(entry.fields[f"text{side}"])
        system, sample = entry.text(f"system{side}"), entry.text(f"sample{side}") or entry.text("sample") or None
        whose = system if sample is None else f"sample {sample} of {system}"
        what, cure = f"{whose} has another text for item {item}", _of_columns(entry, _APART_TEXTS)
        key = ("output", item, system, sample)
        if self._is_new(key, text, entry, f"text{side}", what, cure, text):
            self.rows["outputs"].append({"item": item, "system": system, "text": text, "sample": sample})

    def _add_passage(self, item: str, entry: Entry) -> None:
        text, name = str(entry.fields.get("passage_text") or ""), entry.text("passage")
        known = self._passage_names.setdefault(item, {})
        name = name or known.setdefault(text, f"p{len(known) + 1}")
        entry.fields["passage"] = name
        if text.strip():
            what, cure = f"passage {name} of item {item} has another text", "; another passage needs another id"
            key = ("passage", item, name)
            if self._is_new(key, text, entry, "passage_text", what, cure, text):
                self.rows["passages"].append({"item": item, "passage": name, "text": text})

    def _is_new(
        self, key: tuple[object, ...], value: object, entry: Entry, name: str, what: str, cure: str, cell: str
    ) -> bool:
        """Whether something of which there is one is said for the first time. It is a problem where it was said to be
        another before: `what`, there, `cure`.
        """
        is_new = key not in self._stated
        first, where = self._stated.setdefault(key, (value, entry.place))
        if first != value:
            self.problems.add(entry, name, f"{what} at {where}{cure}", f"another {name}", cell)
        return is_new

    # ---- pairs -----------------------------------------------------------------------------------------------------

    def _add_pair(self, item: str, entry: Entry) -> None:
        if "system_a" not in entry.fields and item in self._pairs:  # another file says which two an item compares
            entry.fields |= self._pairs[item]
        first, second = entry.text("system_a"), entry.text("system_b")
        if not first or not second:
            self.problems.add_blank(entry, "system_b" if first else "system_a")
            return
        asked = ("outcome", "wins_a", "wins_b", "unscored", "p_a", "p_b")
        if not (entry.side or any(name in entry.fields for name in asked)):
            self._pairs[item] = {"system_a": first, "system_b": second}
            return
        if first == second:
            self.skip(entry, "two outputs of the same system")
            return
        pair = _pair(item, first, second, entry)
        if "wins_a" in entry.fields or "wins_b" in entry.fields:
            self._add_wins(pair, entry)
            return
        unscored = bool(entry.text("unscored")) and not entry.text("outcome")
        outcome = entry.side or (None if unscored else self._outcome(entry, first, second))
        if entry.side and entry.text("outcome"):
            self._read(entry, "outcome", _read_as("", entry.side, first, second))
        if outcome == cells.SKIP or (outcome is None and not entry.text("judge")):
            return
        if left := self._left(entry, first, second):
            pair["left"] = left
        self._add_answer(pair, entry, outcome)

    def _outcome(self, entry: Entry, first: str, second: str) -> str | None:
        """What the cell of an outcome says; SKIP with a count or a problem, None for a blank."""
        cell, column = entry.text("outcome"), entry.column("outcome")
        if not cell:
            if not entry.text("judge"):
                self.skip(entry, f"{column} is blank: no label")
            return None
        number = cells.number_in(cell)
        if number is not None and number not in (first, second):
            self._numbers.setdefault((entry.place.file, column), {}).setdefault(number, entry)
        side = cells.winner_in(cell, first, second)
        if side in ("a", "b") and cells.is_place(cell) and self._left(entry, first, second) == second:
            side = "b" if side == "a" else "a"  # the second system was shown on the left
        texts: dict[str, cells.Side] = {entry.text("text_a"): "a", entry.text("text_b"): "b"}
        if cell in texts and len(texts) > 1:  # the text that won; it may also be called as a side is
            side = texts[cell] if side in (None, texts[cell]) else None
        if cells.named_in(cell, (first, second)) is None:
            self._by_words.setdefault((entry.place.file, column, cell), (entry, first, second))
        if side is None:
            codes = cells.codes_for([number])[0] if number in cells.CODED else [("<LIMIT", "a"), (">LIMIT", "b")]
            code = ", ".join(f"{n} = {m}" for n, m in codes)
            what = f"this number may mean several things, such as {code}" if number else "it is not clear who won"
            message = f"{what}; say what it means: {meaning('outcome', cell, 'a|b|tie|skip')}"
            self.problems.add(entry, "outcome", message, "outcome")
            return cells.SKIP
        self._read(entry, "outcome", _read_as(cell, side, first, second))
        return side

    def _left(self, entry: Entry, first: str, second: str) -> str:
        left = entry.text("left")
        if left and left not in (first, second):
            side = cells.winner_in(left, first, second)
            left = {"a": first, "b": second}.get(side or "", "")
            if not left:
                self.problems.add(entry, "left", "this is neither system of the row")
        return left

    def _add_answer(self, pair: Row, entry: Entry, outcome: str | None) -> None:
        """Of a person, or of a judge, whose outcome may be None."""
        judge = entry.text("judge")
        if not judge:
            sides = ((str(pair[f"system_{side}"]), str(pair.get(f"sample_{side}"))) for side in "ab")
            key = ("preference", pair["item"], tuple(sorted(sides)), pair.get("criterion"))
            self._add_label("preferences", {**pair, "outcome": outcome or "tie"}, entry, key)
            return
        stated: list[str] = [name for name in ("p_a", "p_tie", "p_b") if name in entry.fields]
        shares = {name: self.number(entry, name, "a probability", quiet=True) for name in stated}
        if outcome is None and "outcome" not in entry.fields and any(shares.values()):
            outcome = max(shares, key=lambda name: shares[name] or 0.0).removeprefix("p_")
        row: Row = {**pair, "judge": judge, "outcome": outcome, **shares}
        if outcome is None:
            row["unscored"] = entry.text("unscored") or None
        if entry.text("reply"):
            row["reply"] = entry.fields["reply"]
        self.rows["judge_preferences"].append(row | _origin(entry))

    def _add_wins(self, pair: Row, entry: Entry) -> None:
        """Counts of wins: each of several is an item of its own, as nothing says which belong together."""
        number = 0
        outcomes = {"wins_a": "a", "ties": "tie", "wins_b": "b"}
        counts = {name: self.number(entry, name, "a count", quiet=True) or 0.0 for name in outcomes}
        for name, times in counts.items():
            if not 0 <= times <= _MOST_WINS or not times.is_integer():
                self.problems.add(entry, name, f"not a whole number from 0 to {_MOST_WINS:,}")
                continue
            for _ in range(int(times)):
                number += 1
                item = f"{pair['item']}-{pair['system_a']}-{pair['system_b']}-{number}"
                own = pair if sum(counts.values()) == 1 else {**pair, "item": item}
                self._add_answer(own, entry, outcomes[name])

    def _add_ranking(self, item: str, entry: Entry) -> None:
        ranks = _ranks_in(entry.text("ranking"))
        if not ranks:
            self.problems.add(entry, "ranking", "no ranking; write x > y = z, the best first")
            return
        self._ranks[(item, str(entry.place), entry.column("ranking"), *_who(entry))] = (entry, ranks)

    def _add_ranks(self) -> None:
        """A ranking is a preference for every pair of its systems: the smaller rank is the better, equal ones tie."""
        for (item, *_), (entry, ranks) in self._ranks.items():
            if len(ranks) < 2:
                self.skip(entry, "ranks without another to compare with")
            for first, second in combinations(sorted(ranks), 2):
                ahead = ranks[second] - ranks[first]
                outcome = "a" if ahead > 0 else "b" if ahead < 0 else "tie"
                self._add_answer(_pair(item, first, second, entry), entry, outcome)
        self._ranks = {}

    # ---- one output ------------------------------------------------------------------------------------------------

    def _add_of_one(self, item: str, system: str, entry: Entry) -> None:
        about: Row = {"item": item, "system": system}
        if sample := entry.text("sample"):
            about["sample"] = sample
        self._add_training(system, entry)
        if "value" in entry.fields:
            self._add_rating(about, entry)
        for name in ("sensible", "plausible"):
            if cell := entry.text(name):
                answer = cells.yes_in(cell)
                if answer is None:
                    self.problems.add(entry, name, "not clear; write yes or no")
                else:
                    self._add_given(about, entry, name, float(answer))
        if "score" in entry.fields and (score := self.number(entry, "score", "a score")) is not None:
            metric = entry.text("metric") or entry.column("score")
            self._add_score({**about, "metric": metric}, entry, score)
        if "rank" in entry.fields and (rank := self.number(entry, "rank", "a rank")) is not None:
            key = (item, entry.text("sample"), *_who(entry))
            known = self._ranks.setdefault(key, (entry, {}))[1]
            if known.setdefault(system, rank) != rank:
                message = f"{system} has another rank on this item by the same person ({known[system]:g})"
                self.problems.add(entry, "rank", message, "another rank")
        if texts_of(entry.fields.get("edit")):
            self._add_label("edits", {**about, "text": str(entry.fields["edit"])}, entry, ("edit", *about.values()))
        elif "edit" in entry.fields:
            self.skip(entry, f"{entry.column('edit')} is blank: no edit")
        if "support" in entry.fields:
            self._add_span(about, entry)

    def _add_rating(self, about: Row, entry: Entry) -> None:
        value = self.number(entry, "value", "a rating")
        if value is None:
            return
        judge = entry.text("judge")
        if judge:  # what a model says of one output is a score
            self._add_score({**about, "metric": judge}, entry, value)
        else:
            self._add_given(about, entry, entry.text("criterion") or DEFAULT_CRITERION, value)

    def _add_given(self, about: Row, entry: Entry, criterion: str, value: float) -> None:
        row: Row = {**about, "criterion": criterion, "value": value}
        self._add_label("ratings", row, entry, ("rating", *about.values(), criterion))

    def _add_score(self, row: Row, entry: Entry, value: float) -> None:
        """Scores repeat in files with one row per label, so an equal one is no problem."""
        if criterion := entry.text("criterion"):
            row["criterion"] = criterion
        key = tuple(row.get(name) for name in ("item", "system", "sample", "metric", "criterion"))
        what = f"{row['metric']} has another score for {row['system']} on item {row['item']}"
        if self._is_new(("score", *key), value, entry, "score", what, "", f"{value:g}"):
            self.rows["scores"].append({**row, **_origin(entry), "value": value})

    def _add_span(self, about: Row, entry: Entry) -> None:
        cell = entry.text("support")
        if not cell:
            self.skip(entry, f"{entry.column('support')} is blank: the passage was not judged")
            return
        support = cells.support_in(cell)
        if support is None:
            option = meaning("support", cell, "supports")
            message = f"not clear; say whether it supports, contradicts or neither: {option}"
            self.problems.add(entry, "support", message, "support")
            return
        if not entry.text("passage"):
            self.problems.add_blank(entry, "passage")
            return
        row: Row = {**about, "passage": entry.text("passage"), "support": support}
        for name in ("start", "end"):
            if entry.text(name):
                row[name] = self.number(entry, name, "a place in the passage")
        self._read(entry, "support", support)
        self._add_label("spans", row, entry, ("span", *about.values(), row["passage"]))

    def _add_label(self, table: TableName, row: Row, entry: Entry, question: tuple[object, ...]) -> None:
        """A label by a person; one by nobody waits for the others of its file."""
        if entry.text("judge"):
            message = "of a judge only outcomes, ranks and grades are kept; leave the judge out, or the column"
            self.problems.add(entry, "judge", message)
            return
        person = entry.text("annotator")
        if person and person.casefold() not in cells.NOTHING:
            self._files_with_people.add(entry.place.file)
            self.rows[table].append({**row, "annotator": person, **self._timing(entry)})
        elif "annotator" in entry.fields:
            self.problems.add_blank(entry, "annotator", "label")
        else:
            self._by_nobody.append((table, {**row, **self._timing(entry)}, entry.place.file, question))

    def _add_those_by_nobody(self) -> None:
        """A label by nobody is by the next of annotator1, annotator2, ... who has not labelled this yet; it is left out
        where other labels of its file say whose they are.
        """
        given: Counter[tuple[object, ...]] = Counter()
        for table, row, file, question in self._by_nobody:
            if file in self._files_with_people:
                self.left_out(file, "labels by nobody, where others say whose they are", 1)
            else:
                given[question] += 1
                self.rows[table].append({**row, "annotator": f"{NOBODY}{given[question]}"})
        self.unnamed = given.total()

    def _add_training(self, system: str, entry: Entry) -> None:
        stated: dict[str, str] = {name: entry.text(name) for name in _OF_TRAININGS if entry.text(name)}
        settings = entry.fields.get("setting")
        if isinstance(settings, dict):
            stated |= {f"setting {name}": str(cell).strip() for name, cell in settings.items() if str(cell).strip()}
        for name, cell in stated.items():
            value = _scalar(name, cell)
            wrong = "" if name.startswith("setting ") else wrong_part(name, value)
            if wrong:
                self.problems.add(entry, name, f"{name} {wrong}, or blank", cell=cell)
                continue
            first, _ = self.trainings.setdefault(system, {}).setdefault(name, (value, entry.place))
            what, cure = f"{system} has another {name}", f" ({first}); a checkpoint has one"
            self._is_new(("system", system, name), value, entry, name, what, cure, cell)

    # ---- cells -----------------------------------------------------------------------------------------------------

    def number(self, entry: Entry, name: str, what: str, *, quiet: bool = False) -> float | None:
        """A field as a number; None, with a count, where it is blank, and with a problem, where it is none."""
        value = entry.fields.get(name)
        if isinstance(value, int | float):
            return float(value)
        cell = entry.text(name)
        if not cell or cell.casefold() in cells.NOTHING:
            if not quiet:
                self.skip(entry, f"{entry.column(name)} is {cell or 'blank'}: not {what}")
            return None
        if cell == cells.SKIP:
            self.skip(entry, f"{entry.column(name)}: cells that are to be skipped")
            return None
        number = cells.parse_number(cell)
        if number is None:
            said = meaning(name, cell, "NUMBER|skip")
            wrong = f"not {what}; write a finite number such as 4 or 3.5, or say what it means: {said}"
            if cells.may_be_two_numbers(cell):
                wrong = 'the comma may part thousands or be a decimal comma; if so, write in the recipe: decimal = ","'
            self.problems.add(entry, name, wrong, what)
        elif cells.yes_in(cell) is not None and cells.number_in(cell) is None:
            self._read(entry, name, f"{number:g}")
        return number

    def _timing(self, entry: Entry) -> Row:
        row: Row = {}
        if cell := entry.text("seconds"):
            clock = cells.parse_clock(cell)
            number = self.number(entry, "seconds", "a number of seconds") if clock is None else None
            row["seconds"] = clock if number is None else number * cells.seconds_in(entry.column("seconds"))
        if cell := entry.text("decided_at"):
            row["decided_at"] = cells.parse_time(cell)
            if row["decided_at"] is None:
                message = "not a time in ISO 8601, such as 2024-05-17T08:38:20; ignore the column if it does not matter"
                self.problems.add(entry, "decided_at", message, "time")
        return row

    def _read(self, entry: Entry, name: str, meaning: str) -> None:
        """Count what a cell was read as."""
        self._readings[entry.place.file, entry.column(name), entry.text(name), meaning] += 1

    def skip(self, entry: Entry, reason: str) -> None:
        """Count what is left out."""
        self._skipped[entry.place.file, reason] += 1

    # ---- the end ---------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Nothing more will come.

        Raises:
            InputError: all problems of all files.
        """
        self._add_ranks()
        self._add_those_by_nobody()
        for numbers in self._numbers.values():
            # Others are problems already.
            read = [number for number in numbers if number.removeprefix("+") in ("1", "2")]
            if read and not cells.numbers_are_clear(read, {}):
                message = f"this number may mean several things; say what it means: {meaning('outcome', read[0])}"
                self.problems.add(numbers[read[0]], "outcome", message, cell=read[0])
        systems = self._systems()
        for (*_, cell), (entry, first, second) in self._by_words.items():
            if (named := cells.named_in(cell, systems)) is not None:
                message = f"this is the system {named}, and the row compares {first} and {second}"
                self.problems.add(entry, "outcome", message, "another system")
        self.problems.raise_any()
        self._turn_judgements()

    def _systems(self) -> set[str]:
        """The systems of the outputs and pairs."""
        tables: tuple[TableName, ...] = ("outputs", "preferences", "judge_preferences")
        sides = ("system", "system_a", "system_b")
        return {str(row[side]) for table in tables for row in self.rows[table] for side in sides if side in row}

    def _turn_judgements(self) -> None:
        """Where a judge was asked in both orders, system_a is the one that was shown first."""
        judged = self.rows["judge_preferences"]
        asked = {(row["judge"], row["item"], row["system_a"], row["system_b"]) for row in judged}
        self.in_both_orders = any((judge, item, b, a) in asked for judge, item, a, b in asked)
        self.in_both_orders &= not any("left" in row for row in judged)
        if self.in_both_orders:
            for row in judged:
                row.setdefault("left", row["system_a"])

    def problem_of(self, name: str, value: str, message: str, *, file: str = "", column: str | None = None) -> Problem:
        """What is wrong with a name, where it stands first: in a column, or else in the file."""
        place = self._first.get((name, value), Place(file, None))
        return place.problem(message, column, value or None)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How outcomes and other words were read, column by column, the most frequent first."""
        columns = list(dict.fromkeys(key[:2] for key in self._readings))
        counts = sorted(self._readings.items(), key=lambda pair: (columns.index(pair[0][:2]), -pair[1]))
        return tuple(Reading(*key, count) for key, count in counts)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What was left out."""
        return tuple(Skipped(*key, count) for key, count in self._skipped.items())

    def left_out(self, file: str, reason: str, count: int) -> None:
        """State what a file holds that was not read."""
        self._skipped[file, reason] += count


_APART: Final = "make the item ids differ, or say what else tells the items apart: --map item=COLUMN+COLUMN"
_APART_TEXTS: Final = (
    "say what tells these rows apart: a column that is the sample, or part of the system or the item (--map "
    "item=COLUMN+COLUMN, or --map item=:row)"
)


def _of_columns(entry: Entry, cure: str) -> str:
    """A cure that names columns, where somebody said what they are; nobody can for the format of a tool."""
    return f"; {cure}" if entry.columns else ""


def meaning(name: str, cell: str, value: str = "a") -> str:
    """The option that says what a cell means, quoted for a shell."""
    return cells.meaning_of("--value", f"{name}:{' '.join(cell.split())}", value, f"{name}:CELL")


def _who(entry: Entry) -> tuple[str, ...]:
    """Whose answer it is, and on what."""
    return tuple(entry.text(name) for name in ("annotator", "judge", "criterion"))


def _pair(item: str, first: str, second: str, entry: Entry) -> Row:
    """Which two outputs are compared, and in what."""
    pair: Row = {"item": item, "system_a": first, "system_b": second}
    for side in "ab":
        if sample := entry.text(f"sample_{side}") or entry.text("sample"):
            pair[f"sample_{side}"] = sample
    if criterion := entry.text("criterion"):
        pair["criterion"] = criterion
    return pair


def _origin(entry: Entry) -> Row:
    """What made a score or a judgement, as far as it is said."""
    named = {"signature": "signature", "judged_texts": "texts"}
    return {column: entry.text(name) for name, column in named.items() if entry.text(name)}


def _read_as(cell: str, side: str, first: str, second: str) -> str:
    named = {"a": first, "b": second}.get(side)
    if named is not None and named.casefold() == cell.casefold():
        return "that system"
    return {"a": "system_a", "b": "system_b"}.get(side, side)


def _ranks_in(cell: str) -> dict[str, float]:
    """`x > y = z` as x: 1, y: 2, z: 2; nothing for anything else."""
    parts = cell.replace("≻", ">").replace("~", "=").split(">")
    groups = [[name.strip() for name in part.split("=")] for part in parts]
    names = [name for group in groups for name in group]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        return {}
    return {name: float(rank) for rank, group in enumerate(groups, 1) for name in group}


def _scalar(name: str, cell: str) -> Scalar:
    """A cell as what it says; one that cannot be read stays a text."""
    if name == "run":
        return cell
    number = cells.parse_number(cell) if cells.yes_in(cell) is None or cells.number_in(cell) is not None else None
    if number is None:
        called = step_of_checkpoint(cell) if name == "step" else None
        return _TRUTHS.get(cell.casefold(), cell) if called is None else called
    return int(number) if name != "dev_loss" and number.is_integer() else number
