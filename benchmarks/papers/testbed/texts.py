"""Texts and what is to be written for them.

Debian's package descriptions: the first paragraph of each long one, and the line that sums it up.

Their licences are those of the packages: they are fetched and kept where the benchmark runs, and never given away.

Texts as numbers of a byte-pair vocabulary that is learned from them.
"""

from __future__ import annotations

import hashlib
import itertools
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class TextPair:
    """Write `target` for `source`. `unit`: what must stay on one side when pairs are set aside."""

    name: str
    source: str
    target: str
    unit: str


@dataclass(frozen=True, slots=True)
class Split:
    """Pairs that models learn from, on which their loss is measured, and for which they write; no unit is in two."""

    train: tuple[TextPair, ...]
    dev: tuple[TextPair, ...]
    written: tuple[TextPair, ...]


def split(pairs: Sequence[TextPair], seed: int, *, dev: int, written: int) -> Split:
    """So many pairs for the loss and for writing, each of a unit of its own; the other units are for learning.

    Raises:
        ValueError: there are fewer units.
    """
    units: dict[str, list[TextPair]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.name):
        units.setdefault(pair.unit, []).append(pair)
    order = sorted(units, key=lambda unit: hashlib.sha256(f"{seed}\0{unit}".encode()).digest())
    if len(order) <= dev + written:
        raise ValueError(f"{len(order)} units are too few to set {dev + written} aside")
    first = [units[unit][0] for unit in order[: dev + written]]
    train = [pair for unit in order[dev + written :] for pair in units[unit]]
    return Split(tuple(train), tuple(first[:dev]), tuple(first[dev:]))


def without_repeats(pairs: Sequence[TextPair]) -> list[TextPair]:
    """The first of all pairs with one source or one target, in whatever case and with whatever blanks."""
    sources: set[str] = set()
    targets: set[str] = set()
    kept = []
    for pair in pairs:
        source, target = _plain(pair.source), _plain(pair.target)
        if source in sources or target in targets or not source or not target:
            continue
        sources.add(source)
        targets.add(target)
        kept.append(pair)
    return kept


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


_DESCRIPTIONS = "*Translation-en"
_PACKAGES = "*_Packages"


def fetch_descriptions(folder: Path) -> Path:
    """The folder of apt's lists below `folder`, fetched by apt (16 MB) unless it is there. It takes no rights.

    Raises:
        SystemExit: apt is missing, or reaches no server.
    """
    lists = folder / "lists"
    if not any(lists.glob(_DESCRIPTIONS)):
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        options = {"Acquire::Languages": "en", "Acquire::GzipIndexes": "false", "Dir::State::lists": str(lists),
                   "Dir::Cache": str(folder / "cache")}  # fmt: skip
        given = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
        try:
            subprocess.run(["apt-get", *given, "update"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"apt-get update failed ({error}); name a folder of Translation-en files") from error
    return lists


def read_descriptions(folder: Path) -> list[TextPair]:
    """The pairs of all `Translation-en` files of a folder, in no compressed form.

    The unit is the source package, which `Packages` files beside them tell: packages of one source have descriptions
    that are almost the same. Without these files it is the package.

    Raises:
        SystemExit: there is no such file, or no description in them.
    """
    sources = {
        package["Package"]: package.get("Source", package["Package"]).split()[0]
        for path in sorted(folder.glob(_PACKAGES))
        for package in _records(path)
    }
    pairs = []
    for path in sorted(folder.glob(_DESCRIPTIONS)):
        for package in _records(path):
            name = package["Package"]
            synopsis, _, rest = package.get("Description-en", "").partition("\n")
            pairs.append(TextPair(name, _first_paragraph(rest), synopsis.strip(), sources.get(name, name)))
    kept = without_repeats(pairs)
    if not kept:
        raise SystemExit(f"{folder} has no {_DESCRIPTIONS} file with descriptions")
    return kept


def _first_paragraph(text: str) -> str:
    """A line with a stop alone ends it."""
    lines = itertools.takewhile(lambda line: line.strip() != ".", text.splitlines())
    return " ".join(word for line in lines for word in line.split())


def _records(path: Path) -> Iterator[dict[str, str]]:
    """The paragraphs of a Debian control file: fields by name, their further lines after line feeds."""
    for block in path.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if line.startswith(" "):
                fields[name] += "\n" + line[1:]
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        if "Package" in fields:
            yield fields


def pairs_of(data: Path | None, cache: Path) -> list[TextPair]:
    """Of the files in `data`; without a folder apt fetches them."""
    return read_descriptions(fetch_descriptions(cache) if data is None else data)


PADDING, BEGIN, END = 0, 1, 2
_SPECIAL = ("<padding>", "<begin>", "<end>")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`size` tokens, of which the first three are special; bytes are tokens, so that any text can be written."""

    tokenizer: Any
    size: int

    @classmethod
    def of(cls, pairs: Sequence[TextPair], size: int = 3000) -> Vocabulary:
        """Learned from the texts of these pairs, at most so many tokens."""
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(_SPECIAL), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )  # fmt: skip
        tokenizer.train_from_iterator((text for pair in pairs for text in (pair.source, pair.target)), trainer)
        return cls(tokenizer, tokenizer.get_vocab_size())

    def numbers(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Of each text its first tokens."""
        return [found.ids[:most] for found in self.tokenizer.encode_batch(list(texts))]

    def text(self, numbers: Sequence[int]) -> str:
        """Up to the first <end>, without bytes that make no character; an ellipsis where nothing is left to see."""
        row = [*numbers, END]
        return str(self.tokenizer.decode(row[: row.index(END)])).replace("\ufffd", "").strip() or "..."
