"""A saved `compare --json` document, read back and checked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from tiebreak.errors import InputError, Problem, did_you_mean
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.records import Verdict
from tiebreak.typed import shown, typed
from tiebreak.version import __version__

_HOW: Final = "save one with: tiebreak compare STUDY --json > FILE.json"
_SUM_TOLERANCE: Final = 1e-6


Text = Annotated[str, msgspec.Meta(min_length=1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""At most what a float holds exactly."""
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class SavedShares:
    """Estimated shares of the outcomes; all 0 if the pair has no evidence."""

    a: Share
    tie: Share
    b: Share


@dataclass(frozen=True, slots=True)
class SavedPair:
    """What a comparison with another evaluation needs of a pair.

    `wins`, `ties` and `losses` of system_a count items; `labels`: labels on the pair's items.
    """

    system_a: Text
    system_b: Text
    verdict: Verdict
    wins: Count
    ties: Count
    losses: Count
    p: SavedShares
    labels: Count

    @property
    def key(self) -> frozenset[str]:
        """The pair whichever system is named first."""
        return frozenset((self.system_a, self.system_b))

    @property
    def counts(self) -> tuple[int, int, int]:
        """Items with (a preferred, tie, b preferred)."""
        return self.wins, self.ties, self.losses

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """Of the same three; None without any evidence."""
        found = self.p.a, self.p.tie, self.p.b
        return found if any(found) else None

    def oriented(self, system_a: str) -> SavedPair:
        """The same pair with `system_a`, one of its two systems, named first."""
        if system_a == self.system_a:
            return self
        turned: dict[Verdict, Verdict] = {"a": "b", "b": "a"}
        return replace(
            self,
            system_a=self.system_b,
            system_b=self.system_a,
            verdict=turned.get(self.verdict, self.verdict),
            wins=self.losses,
            losses=self.wins,
            p=SavedShares(self.p.b, self.p.tie, self.p.a),
        )


@dataclass(frozen=True, slots=True)
class SavedCriterion:
    """The pairs of one criterion; None is the study's only, unnamed one."""

    criterion: str | None
    pairs: tuple[SavedPair, ...]


@dataclass(frozen=True, slots=True)
class SavedStudy:
    """Its name, and the fingerprint of its labels."""

    name: Text
    fingerprint: Text


@dataclass(frozen=True, slots=True)
class SavedResult:
    """A checked document: the version that wrote it, its study, the terms as saved, the criteria."""

    tiebreak: str
    study: SavedStudy
    terms: dict[str, Any]
    results: tuple[SavedCriterion, ...]


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
    """The document as a record; `name` is what errors call it, such as its file. Raises InputError as `load_result`."""
    found = typed(_comparison(document, name), SavedResult, name)
    version = re.match(r"(\d{1,6})\.\d+", found.tiebreak)
    if version is None:
        wanted = f"must be the version that wrote it, such as {__version__!r}"
        raise InputError([Problem(name, f"key tiebreak is {shown(found.tiebreak)}, but {wanted}")])
    if int(version[1]) > int(__version__.split(".")[0]):
        later = f"key tiebreak is {shown(found.tiebreak)}, later than this tiebreak {__version__}; upgrade to read it"
        raise InputError([Problem(name, later)])
    for number, result in enumerate(found.results):
        at = f"results[{number}]"
        if result.criterion in [other.criterion for other in found.results[:number]]:
            twice = f"key {at}.criterion is {shown(result.criterion)}, as an earlier one is; each may occur once"
            raise InputError([Problem(name, twice)])
        for place, pair in enumerate(result.pairs):
            if wrong := _wrong_pair(pair, result.pairs[:place]):
                raise InputError([Problem(name, f"key {at}.pairs[{place}]{wrong}")])
    return found


def _wrong_pair(pair: SavedPair, before: Sequence[SavedPair]) -> str:
    """What is wrong with a pair that its types do not say, or ""."""
    if pair.system_a == pair.system_b:
        return f".system_b is {shown(pair.system_b)}, as system_a; a pair has two systems"
    total = sum(pair.shares or (1.0,))
    if abs(total - 1) > _SUM_TOLERANCE:
        return f".p sums to {total:g}, but shares sum to 1"
    if pair.key in [other.key for other in before]:
        return f" is {pair.system_a} and {pair.system_b}, as an earlier one is; each pair may occur once"
    return ""


def _comparison(document: object, name: str) -> dict[str, object]:
    """The document, if it looks like a saved comparison at all: only then is it worth naming single keys."""
    if not isinstance(document, dict):
        raise InputError([Problem(name, f"is not a saved comparison, but {shown(document)}; {_HOW}")])
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
