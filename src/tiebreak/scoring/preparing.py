"""What is done to outputs before metrics and people see them: what metrics score is what people will see.

Steps, always in one order: one mark for what a model did not know, however it spelt that; tokens back to running text;
capital letters where running text has them; long texts cut at the end of a sentence. The table of outputs then has two
more columns: `original`, the text as it came, and `prepared`, what was done to it.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Final, Self

import polars as pl

from tiebreak.data.schema import LABEL_TABLES, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.numbers import counted
from tiebreak.scoring.metric import Texts, as_lists

_END: Final = re.compile(r"(?:[.!?…]+['\"”’)\]]*(?=\s|$)|[。！？]+[”’）」]*)")


def cut(text: str, words: int) -> str:
    """The text, if it has no more than so many words; else up to the end of the sentence that is nearest to them, of
    two as near the earlier (*Learning to Compare*, Zhou & Xu).

    A text that has no end of a sentence stays as it is.
    """
    if len(text.split()) <= words:
        return text
    ends = [found.end() for found in _END.finditer(text)]
    return text[: min(ends, key=lambda end: abs(len(text[:end].split()) - words))] if ends else text


_SPELLED: Final = {
    **{"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"},
    **{"``": '"', "''": '"', "&bar;": "|"},
}
_SPELLED_TOKEN: Final = re.compile(r"(?<!\S)(?:-[lr][rsc]b-|``|''|&bar;)(?!\S)", re.IGNORECASE)
_JOINED: Final = re.compile(r" ?@([-–—/])@ ?")
_CONTRACTION: Final = re.compile(r" (n['’]t|['’](?:s|re|ve|ll|d|m))(?!\w)", re.IGNORECASE)
_BEFORE_MARK: Final = re.compile(r" +(?=(?:[,;:!?%)\]}”]|\.{1,3})(?:\s|$|[,;:!?.)\]}\"'”’]))")
_AFTER_OPENING: Final = re.compile(r"(?<![^\s(\[{])([(\[{$£€¥“])\s+")
_QUOTE: Final = re.compile(r"""(?<!\S)(["'`])(?!\S)""")
_BLANKS: Final = re.compile(r"[ \t]+")


def detokenise(text: str) -> str:
    """The text without the blanks that a tokenizer (of Penn Treebank, CoreNLP or Moses) put in before marks, around
    quotes and inside contractions, and with characters for its brackets and escapes; what has none stays as it is.
    """
    text = html.unescape(text) if "&" in text else text
    text = _SPELLED_TOKEN.sub(lambda found: _SPELLED[found[0].lower()], text)
    text = _JOINED.sub(r"\1", text)
    text = _CONTRACTION.sub(r"\1", text)
    text = _quotes_joined(text)
    text = _AFTER_OPENING.sub(r"\1", text)
    return _BLANKS.sub(" ", _BEFORE_MARK.sub("", text)).strip()


def _quotes_joined(text: str) -> str:
    """Quotation marks between blanks: the first goes with what follows, the second with what is before it."""
    is_open = False
    parts, last = [], 0
    for found in _QUOTE.finditer(text):
        before = text[last : found.start()]
        if is_open:
            parts += [before.rstrip(" "), found[1]]
            last = found.end()
        else:
            parts += [before, found[1]]
            last = found.end() + (text[found.end() : found.end() + 1] == " ")
        is_open = not is_open
    return "".join(parts) + text[last:]


_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_START: Final = re.compile(r"(?:^|[.!?…]['\"”’)\]]*\s+)['\"“‘(\[]*(?P<word>[^\W\d_]+)")
_FEWEST_CAPITALS: Final = 0.005  # of the letters of a text that teaches


@dataclass(frozen=True, slots=True)
class TrueCaser:
    """Writes words as running text does: of a word in small letters the form that most often stands inside sentences
    there; the first word of a sentence, and `i`, with a capital. `forms`: of words that are usually written otherwise
    than in small letters, how.
    """

    forms: Mapping[str, str]

    @classmethod
    def learnt(cls, texts: Iterable[str]) -> Self:
        """From running text. Texts that have hardly any capitals teach nothing."""
        counts: Counter[str] = Counter()
        for text in texts:
            letters = sum(map(str.isalpha, text))
            if letters and sum(map(str.isupper, text)) >= _FEWEST_CAPITALS * letters:
                starts = {found.start("word") for found in _START.finditer(text)}
                counts.update(found[0] for found in _WORD.finditer(text) if found.start() not in starts)
        best: dict[str, str] = {}
        for form, times in sorted(counts.items()):
            known = best.get(form.lower())
            if known is None or times > counts[known]:
                best[form.lower()] = form
        return cls({word: form for word, form in best.items() if form != word})

    @property
    def digest(self) -> str:
        """The forms in a word."""
        return sha256("\n".join(f"{word} {form}" for word, form in sorted(self.forms.items())).encode()).hexdigest()[:8]

    def __call__(self, text: str) -> str:
        """The text with capitals; those that it has stay."""
        text = _WORD.sub(lambda found: self._form(found[0]), text)
        return _START.sub(lambda found: found[0][: -len(found["word"])] + _capital(found["word"]), text)

    def _form(self, word: str) -> str:
        if word != word.lower():
            return word
        return "I" if word == "i" else self.forms.get(word, word)


def _capital(word: str) -> str:
    return word[0].upper() + word[1:] if word == word.lower() else word


MARK: Final = "[unknown]"

_UNKNOWN: Final = re.compile(
    r"<unk>|\[unk\]|<unknown>|@@unknown@@|@@unk@@|(?<!\w)(?-i:UNK)(?!\w)|\u2047", re.IGNORECASE
)


def mark_unknown(text: str) -> str:
    """The text with the mark in place of every unknown token."""
    return _UNKNOWN.sub(MARK, text)


STEPS: Final = ("mark-unknown", "detokenise", "true-case", "cut")
"""In the order in which they are taken, whatever the order in which they are asked for."""

_MOST_WORDS: Final = 1_000_000
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Preparation:
    """`steps`: by name; `words`: what texts are cut at; `case`: how words are written."""

    steps: tuple[str, ...]
    words: int = 0
    case: TrueCaser | None = None

    @classmethod
    def of(cls, asked: Sequence[str], texts: Callable[[], Iterable[str]]) -> Self:
        """Of steps as they are written, such as `cut=250`; `texts`: what capitals are learnt from, read where they are
        needed.

        Raises:
            UsageError: no such step, or a number that cannot be.
        """
        found = dict(map(_step, asked))
        case = TrueCaser.learnt(texts()) if "true-case" in found else None
        return cls(tuple(step for step in STEPS if step in found), found.get("cut", 0), case)

    @property
    def written(self) -> str:
        """The steps as one writes them."""
        return ",".join(f"cut={self.words}" if step == "cut" else step for step in self.steps)

    @property
    def label(self) -> str:
        """What is done, in a word, for signatures."""
        told = {"true-case": f"true-case@{self.case.digest}" if self.case else "", "cut": f"cut={self.words}"}
        return "+".join((*(told.get(step, step) for step in self.steps), f"v{_VERSION}"))

    def outputs(self, texts: pl.Series) -> pl.Series:
        """Outputs after all steps."""
        return self._taken(texts, self.steps)

    def references(self, texts: pl.Series) -> pl.Series:
        """References after those steps that are about how texts are written: nothing is cut off."""
        return self._taken(texts, [step for step in self.steps if step != "cut"])

    def _taken(self, texts: pl.Series, steps: Iterable[str]) -> pl.Series:
        does: dict[str, Callable[[str], str]] = {
            "mark-unknown": mark_unknown,
            "detokenise": detokenise,
            "cut": partial(cut, words=self.words),
        }
        if self.case is not None:
            does["true-case"] = self.case
        made = texts.to_list()
        for step in steps:
            made = [None if text is None else does[step](text) for text in made]
        return pl.Series(texts.name, made, dtype=pl.String)


def _step(asked: str) -> tuple[str, int]:
    name, equals, number = asked.partition("=")
    if name not in STEPS:
        raise UsageError(f"no step {name!r}{did_you_mean(name, STEPS) or '; steps are ' + ', '.join(STEPS)}")
    if name != "cut":
        if equals:
            raise UsageError(f"prepare is {asked!r}, but {name} takes no number")
        return name, 0
    if not number.isascii() or not number.isdecimal() or not 1 <= int(number) <= _MOST_WORDS:
        raise UsageError(f"prepare is {asked!r}, but cut takes a number of words from 1 to {_MOST_WORDS:,}: cut=250")
    return name, int(number)


ORIGINAL: Final = "original"
PREPARED: Final = "prepared"

_LABELLED: Final[tuple[TableName, ...]] = (*LABEL_TABLES, "judge_preferences")
_ROWS: Final = ("item", "system", "sample")


@dataclass(frozen=True, slots=True)
class PreparedStudy:
    """`study`: with outputs as metrics see them. `label`: what was done, for signatures, "" for nothing; `steps`: the
    same as one writes it. `references`: what is done to references. `changed`: whether the table of outputs is another
    one than before this run, in `texts` of which the text is.
    """

    study: Study
    label: str = ""
    steps: str | None = None
    references: Texts | None = None
    changed: bool = False
    texts: int = 0


def prepared_study(study: Study, asked: Sequence[str], *, overwrite: bool) -> PreparedStudy:
    """The study with the steps asked for, or with those that were taken before.

    Raises:
        UsageError: no such step; other steps were taken before; or people have labelled texts that would be other ones
            (`overwrite` allows both, but for texts that people edited).
    """
    outputs = study.outputs
    if outputs is None:
        return PreparedStudy(study)
    earlier = outputs[PREPARED] if PREPARED in outputs.columns else pl.Series([], dtype=pl.String)
    before = earlier.drop_nulls().unique().sort()
    if not asked and not len(before):
        return PreparedStudy(study)
    steps = tuple(asked) or _steps_in(before)
    preparation = Preparation.of(steps, lambda: _running_text(study))
    done = preparation.written
    if not asked and earlier.null_count():
        raise UsageError(
            f"{counted(earlier.null_count(), 'output')} came after the others were prepared: --prepare {done}"
        )
    if asked and not overwrite and any(found != done for found in before):
        raise UsageError(
            f"outputs were prepared before ({before[0]}), and otherwise than now ({done}): --overwrite begins anew "
            "with the original texts"
        )
    now = _prepared(outputs, preparation, done)
    other = now.filter(now["text"].ne_missing(outputs["text"]))
    if other.height:
        _refuse_labelled(study, other, overwrite=overwrite)
    made = study
    if not now.equals(outputs):
        repeats: dict[TableName, pl.DataFrame] = dict(study.with_repeats)
        if "outputs" in repeats:
            repeats["outputs"] = _prepared(repeats["outputs"], preparation, done)
        made = replace(study, outputs=now, with_repeats=repeats)
    return PreparedStudy(made, preparation.label, done, preparation.references, made is not study, other.height)


def _steps_in(before: pl.Series) -> tuple[str, ...]:
    if len(before) > 1:
        raise UsageError(f"some outputs were prepared by {before[0]}, others by {before[1]}: --prepare {before[0]}")
    return tuple(str(before[0]).split(","))


def _prepared(outputs: pl.DataFrame, preparation: Preparation, done: str) -> pl.DataFrame:
    """The table of outputs, made of the original texts."""
    first = outputs["text"]
    if ORIGINAL in outputs.columns:
        first = outputs.select(pl.coalesce(pl.col(ORIGINAL), pl.col("text"))).to_series()
    return outputs.with_columns(
        preparation.outputs(first).alias("text"), first.alias(ORIGINAL), pl.lit(done).alias(PREPARED)
    )


def _running_text(study: Study) -> Iterator[str]:
    """Inputs, contexts and references."""
    if study.items is None:
        return
    for name in ("input", "context", "reference", "references"):
        if name in study.items.columns:
            yield from as_lists(study.items[name]).explode().drop_nulls().to_list()


def _refuse_labelled(study: Study, other: pl.DataFrame, *, overwrite: bool) -> None:
    """Labels are about the texts that people saw."""
    rows = other.select(_ROWS)
    for table in _LABELLED:
        frame = study.tables.get(table)
        if frame is None or (overwrite and table != "edits"):
            continue
        sides = [
            frame.select("item", system=pl.col(system), sample=pl.col(sample))
            for system, sample in TABLES[table].samples
        ]
        labelled = rows.join(pl.concat(sides), on=_ROWS, how="semi", nulls_equal=True).height
        if labelled:
            what = "edits say how the original differs from a better text" if table == "edits" else "they would change"
            allowed = "" if table == "edits" else "; --overwrite changes them all the same, and keeps the originals"
            raise UsageError(
                f"{counted(labelled, 'output')} that --prepare would change {'is' if labelled == 1 else 'are'} in the "
                f"table {table}: whoever labelled saw the text as it is, and {what}. Prepare texts before they are "
                f"labelled{allowed}"
            )
