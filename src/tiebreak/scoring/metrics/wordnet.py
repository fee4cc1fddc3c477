"""Which words share a meaning, from the files of WordNet: the index of lemmas, exceptions, and rules for endings.

Debian has them as wordnet-base; WNSEARCHDIR names another folder, as for WordNet's own programs.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Final

from tiebreak.errors import UsageError

_FOLDERS: Final = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/usr/local/share/wordnet")
_PARTS: Final = ("noun", "verb", "adj", "adv")
_ENDINGS: Final = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
             ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""WordNet's own rules of detachment (morphy)."""

Meaning = tuple[str, int]


class WordNet:
    """The index of a folder. `version`: as its files say."""

    def __init__(self, folder: Path) -> None:
        self._index = {part: _index(folder / f"index.{part}") for part in _PARTS}
        self._exceptions = {part: _exceptions(folder / f"{part}.exc") for part in _PARTS}
        with (folder / "index.noun").open(encoding="utf-8") as stream:
            head = "".join(next(stream, "") for _ in range(29))
        found = re.search(r"WordNet (\d+(?:\.\d+)*) Copyright", head)
        self.version = found[1] if found else "unknown"
        self._known: dict[str, frozenset[Meaning]] = {}

    def meanings(self, word: str) -> frozenset[Meaning]:
        """The sets of synonyms that a word in small letters, or what it is a form of, belongs to."""
        if word not in self._known:
            found = {
                (part, at) for part in _PARTS for form in self._forms(word, part) for at in self._index[part][form]
            }
            self._known[word] = frozenset(found)
        return self._known[word]

    def _forms(self, word: str, part: str) -> set[str]:
        index = self._index[part]
        forms = {word, *self._exceptions[part].get(word, ())}
        if word not in self._exceptions[part]:
            for old, new in _ENDINGS[part]:
                if word.endswith(old) and len(word) > len(old):
                    forms.add(word.removesuffix(old) + new)
        return {form for form in forms if form in index}


@cache
def wordnet() -> WordNet:
    """The one that is installed, read once.

    Raises:
        UsageError: none is.
    """
    return WordNet(wordnet_folder())


def wordnet_folder() -> Path:
    """Where its files are.

    Raises:
        UsageError: nowhere that is known.
    """
    named = os.environ.get("WNSEARCHDIR")
    for folder in map(Path, (named,) if named else _FOLDERS):
        if all((folder / f"index.{part}").is_file() for part in _PARTS):
            return folder
    where = f"not in {named}, which WNSEARCHDIR names" if named else "not installed"
    raise UsageError(
        f"synonyms take the files of WordNet, which are {where}: apt install wordnet-base (Debian, Ubuntu), or set "
        "WNSEARCHDIR to a folder with index.noun, index.verb, index.adj and index.adv; the metric meteor does without"
    )


def _index(path: Path) -> dict[str, tuple[int, ...]]:
    """Offsets of the sets of synonyms of each lemma: the last of the fields, as many as the third says."""
    found: dict[str, tuple[int, ...]] = {}
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if not line.startswith("  "):  # the licence
                fields = line.split()
                found[fields[0]] = tuple(map(int, fields[-int(fields[2]) :]))
    return found


def _exceptions(path: Path) -> dict[str, tuple[str, ...]]:
    if not path.is_file():
        return {}
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {fields[0]: tuple(fields[1:]) for fields in lines if fields}
