"""A saved `compare --json` document, read back and checked key by key."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from tiebreak.errors import InputError, Problem, did_you_mean
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.records import Verdict
from tiebreak.version import __version__

_HOW: Final = "save one with: tiebreak compare STUDY --json > FILE.json"
_SUM_TOLERANCE: Final = 1e-6
_LARGEST_COUNT: Final = 2**53  # what a float holds exactly
_OUTCOMES: Final = ("a", "tie", "b")
_COUNTS: Final = ("wins", "ties", "losses")


@dataclass(frozen=True, slots=True)
class SavedPair:
    """What a comparison with another evaluation needs of a pair.

    `counts`: items with (a preferred, tie, b preferred) among the labels; `p`: the estimated shares of the same
    three, or None if the pair has no evidence at all; `labels`: labels on the pair's items.
    """

    system_a: str
    system_b: str
    verdict: Verdict
    counts: tuple[int, ...]
    p: tuple[float, ...] | None
    labels: int

    @property
    def key(self) -> frozenset[str]:
        """The pair whichever system is named first."""
        return frozenset((self.system_a, self.system_b))

    def oriented(self, system_a: str) -> SavedPair:
        """The same pair with `system_a`, one of its two systems, named first."""
        if system_a == self.system_a:
            return self
        turned: dict[Verdict, Verdict] = {"a": "b", "b": "a"}
        return SavedPair(
            self.system_b,
            self.system_a,
            turned.get(self.verdict, self.verdict),
            self.counts[::-1],
            None if self.p is None else self.p[::-1],
            self.labels,
        )


@dataclass(frozen=True, slots=True)
class SavedCriterion:
    """The pairs of one criterion; None is the study's only, unnamed one."""

    criterion: str | None
    pairs: tuple[SavedPair, ...]


@dataclass(frozen=True, slots=True)
class SavedResult:
    """A checked document: the study's name, the fingerprint of its labels, the terms as saved, the criteria."""

    study: str
    fingerprint: str
    terms: dict[str, object]
    criteria: tuple[SavedCriterion, ...]


def load_result(path: str | os.PathLike[str]) -> dict[str, object]:
    """A document that `tiebreak compare --json` printed, in any Unicode encoding that JSON allows (also UTF-16).

    Raises InputError, naming the file and every key that is wrong, if the file cannot be read, is not JSON, is not
    such a document, was written by a later major version, or lacks or misuses a key.
    """
    file = Path(path)
    document = _comparison(_json(file), str(file))
    parse_result(document, str(file))
    return document


def parse_result(document: object, name: str) -> SavedResult:
    """The document as records; `name` is what errors call it, such as its file. Raises InputError as `load_result`."""
    checked, checker = _comparison(document, name), _Checker(name)
    checker.version(checked["tiebreak"])
    study = checker.sub_object(checked, "study", "")
    result = SavedResult(
        study=checker.text(study, "name", "study."),
        fingerprint=checker.text(study, "fingerprint", "study."),
        terms=checker.sub_object(checked, "terms", "") or {},
        criteria=_criteria(checked, checker),
    )
    checker.raise_if_any()
    return result


def _comparison(document: object, name: str) -> dict[str, object]:
    """The document, if it looks like a saved comparison at all: only then is it worth naming single keys."""
    if not isinstance(document, dict):
        raise InputError([Problem(name, f"is not a saved comparison, but {_shown(document)}; {_HOW}")])
    if "tiebreak" not in document:
        message = f"key tiebreak (the version that wrote it) is missing, so this is no saved comparison; {_HOW}"
        raise InputError([Problem(name, message)])
    if "results" not in document:
        raise InputError([Problem(name, f"key results is missing, so this is no saved comparison; {_HOW}")])
    return document


def _json(file: Path) -> object:
    try:
        data = file.read_bytes()
    except FileNotFoundError as error:
        near = [entry.name for entry in file.parent.iterdir()] if file.parent.is_dir() else []
        raise InputError([Problem(str(file), f"no such file{did_you_mean(file.name, near)}")]) from error
    except OSError as error:
        what = f"is a folder, not a saved comparison; {_HOW}" if file.is_dir() else f"cannot be read: {error.strerror}"
        raise InputError([Problem(str(file), what)]) from error
    if not data.strip():
        raise InputError([Problem(str(file), f"is empty; {_HOW}")])
    try:
        # From bytes json finds UTF-8, -16 and -32 by itself: the redirection of some shells writes UTF-16.
        return json_reader()(data.decode(json.detect_encoding(data)))
    except ParsingError as error:
        at = "" if error.character is None else f" (column {error.character})"
        raise InputError([Problem(str(file), f"is not JSON: {error}{at}; {_HOW}", line=error.line)]) from error
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(file), f"is not JSON: {error}; {_HOW}")]) from error


def _criteria(document: dict[str, object], checker: _Checker) -> tuple[SavedCriterion, ...]:
    found: list[SavedCriterion] = []
    for place, entry in enumerate(checker.sub_list(document, "results", "")):
        at = f"results[{place}]"
        holder = checker.as_object(entry, at)
        if holder is None:
            continue
        before = len(checker.problems)
        criterion = checker.optional_text(holder, "criterion", f"{at}.")
        if len(checker.problems) == before and any(other.criterion == criterion for other in found):
            checker.fail(f"{at}.criterion", f"is {_shown(criterion)}, as an earlier one is; each may occur once")
        found.append(SavedCriterion(criterion, _pairs(checker.sub_list(holder, "pairs", f"{at}."), at, checker)))
    return tuple(found)


def _pairs(entries: list[object], at: str, checker: _Checker) -> tuple[SavedPair, ...]:
    found: dict[frozenset[str], SavedPair] = {}
    for place, entry in enumerate(entries):
        pair = _pair(entry, f"{at}.pairs[{place}]", checker)
        if pair is not None and pair.key in found:
            text = f"is {pair.system_a} and {pair.system_b}, as an earlier one is; each pair may occur once"
            checker.fail(f"{at}.pairs[{place}]", text)
        elif pair is not None:
            found[pair.key] = pair
    return tuple(found.values())


def _pair(entry: object, at: str, checker: _Checker) -> SavedPair | None:
    """The pair, or None if a problem was noted that leaves no pair to speak of."""
    holder = checker.as_object(entry, at)
    if holder is None:
        return None
    before = len(checker.problems)
    names = [checker.text(holder, key, f"{at}.") for key in ("system_a", "system_b")]
    if names[0] and names[0] == names[1]:
        checker.fail(f"{at}.system_b", f"is {_shown(names[1])}, as system_a; a pair has two systems")
    verdict = checker.text(holder, "verdict", f"{at}.")
    if verdict and verdict not in get_args(Verdict):
        checker.fail(f"{at}.verdict", f"is {_shown(verdict)}, but must be one of {', '.join(get_args(Verdict))}")
    counts = tuple(checker.count(holder, key, f"{at}.") for key in _COUNTS)
    labels = checker.count(holder, "labels", f"{at}.")
    shares = checker.sub_object(holder, "p", f"{at}.")
    p = tuple(checker.share(shares, key, f"{at}.p.") for key in _OUTCOMES)
    total = sum(p)
    if len(checker.problems) == before and total > 0 and abs(total - 1) > _SUM_TOLERANCE:
        checker.fail(f"{at}.p", f"sums to {total:g}, but shares sum to 1")
    if len(checker.problems) > before:
        return None
    return SavedPair(names[0], names[1], verdict, counts, p if total > 0 else None, labels)  # type: ignore[arg-type]


class _Checker:
    """Takes values out of a document, notes every problem, and gives an empty value in place of a wrong one.

    A holder of None is an object that was wrong or missing: that was noted, and its keys are passed over.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []

    def fail(self, key: str, message: str) -> None:
        self.problems.append(Problem(self.name, f"key {key} {message}"))

    def raise_if_any(self) -> None:
        if self.problems:
            raise InputError(self.problems)

    def version(self, value: object) -> None:
        match = re.match(r"(\d{1,6})\.\d+", value) if isinstance(value, str) else None
        if match is None:
            self.fail("tiebreak", f"is {_shown(value)}, but must be the version that wrote it, such as {__version__!r}")
        elif int(match[1]) > int(__version__.split(".")[0]):
            self.fail("tiebreak", f"is {_shown(value)}, later than this tiebreak {__version__}; upgrade to read it")

    def as_object(self, value: object, at: str) -> dict[str, object] | None:
        if isinstance(value, dict):
            return value
        self.fail(at, f"is {_shown(value)}, but must be an object")
        return None

    def sub_object(self, holder: dict[str, object], key: str, prefix: str) -> dict[str, object] | None:
        if key in holder:
            return self.as_object(holder[key], f"{prefix}{key}")
        self.fail(f"{prefix}{key}", "is missing")
        return None

    def sub_list(self, holder: dict[str, object], key: str, prefix: str) -> list[object]:
        value = holder.get(key)
        if isinstance(value, list):
            return value
        self._wrong(holder, key, prefix, "must be a list")
        return []

    def text(self, holder: dict[str, object] | None, key: str, prefix: str) -> str:
        value = None if holder is None else holder.get(key)
        if isinstance(value, str) and value:
            return value
        self._wrong(holder, key, prefix, "must be text")
        return ""

    def optional_text(self, holder: dict[str, object], key: str, prefix: str) -> str | None:
        value = holder.get(key, "")
        if value is None or (isinstance(value, str) and value):
            return value
        self._wrong(holder, key, prefix, "must be text or null")
        return None

    def count(self, holder: dict[str, object] | None, key: str, prefix: str) -> int:
        value = None if holder is None else holder.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT:
            return value
        self._wrong(holder, key, prefix, "must be a whole number >= 0")
        return 0

    def share(self, holder: dict[str, object] | None, key: str, prefix: str) -> float:
        value = None if holder is None else holder.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        self._wrong(holder, key, prefix, "must be a share from 0 to 1")
        return 0.0

    def _wrong(self, holder: dict[str, object] | None, key: str, prefix: str, rule: str) -> None:
        if holder is not None:
            self.fail(f"{prefix}{key}", "is missing" if key not in holder else f"is {_shown(holder[key])}, but {rule}")


def _shown(value: object) -> str:
    """A value of a document in few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"
