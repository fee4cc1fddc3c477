"""Ratings that follow from the edits and spans of a study. They are made for an analysis and never stored: a study
folder holds what people gave.

Spans say whether passages support an answer. As in *The price of debiasing automatic metrics*, an answer to a question
that makes no sense, and one that is not plausible, is not correct: nobody is asked about the passages then.

Edits say how much of an output a person left as it was: edit distance by words and by characters, and the translation
edit rate. Texts are compared as a reader sees them: composed characters (NFC), and any run of blanks as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.columns import completed
from tiebreak.data.schema import DERIVED, TABLES, YES_OR_NO, derivable
from tiebreak.data.study import Study
from tiebreak.errors import ExtraMissingError, UsageError, check_known
from tiebreak.messages import derived as messages
from tiebreak.records import Notice

_JUDGED: Final = ("item", "system", "sample", "annotator")
_OF: Final = {"AnyCorrect": pl.col("supports").any(), "AvgCorrect": pl.col("supports").mean()}


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """`answers`: one row for each answer and person, with AnyCorrect and AvgCorrect and the number of `passages` that
    it was judged by; it counts as 0 where the person said 0 on `sensible` or `plausible`. `unclear`: which of these
    criteria have other ratings than 0 and 1, and are left alone.
    """

    answers: pl.DataFrame
    unclear: tuple[str, ...]

    @classmethod
    def of(cls, spans: pl.DataFrame, ratings: pl.DataFrame | None) -> JudgedAnswers:
        """From spans, and what their annotators said of question and answer in their ratings."""
        rows = spans.with_columns(supports=pl.col("support") == "supports")
        found = rows.group_by(_JUDGED, maintain_order=True).agg(
            *(of.cast(pl.Float64).alias(name) for name, of in _OF.items()), passages=pl.len()
        )
        if ratings is None:
            return cls(found, ())
        unclear = tuple(name for name in YES_OR_NO if not _is_yes_or_no(ratings, name))
        said = ratings.filter(pl.col("criterion").is_in([name for name in YES_OR_NO if name not in unclear]))
        refused = said.filter(pl.col("value") == 0).select(_JUDGED).unique(maintain_order=True)
        refused = refused.join(spans, on="annotator", how="semi", maintain_order="left")
        zeros = refused.with_columns(pl.lit(0.0).alias(name) for name in _OF).with_columns(passages=None)
        others = found.join(refused, on=_JUDGED, how="anti", nulls_equal=True, maintain_order="left")
        return cls(pl.concat([others, zeros], how="diagonal_relaxed"), unclear)

    def ratings(self, criteria: Sequence[str]) -> list[pl.DataFrame]:
        """One rating for each answer and person on each of the criteria."""
        return [self.answers.select(*_JUDGED, criterion=pl.lit(name), value=name) for name in criteria]

    def partly_judged(self, passages: pl.DataFrame) -> int:
        """Answers that a person judged by fewer passages than their item has."""
        listed = passages.group_by("item").len("listed")
        judged = self.answers.join(listed, on="item", how="inner")
        return judged.filter(pl.col("passages") < pl.col("listed")).height


def _is_yes_or_no(ratings: pl.DataFrame, criterion: str) -> bool:
    return ratings.filter(pl.col("criterion") == criterion)["value"].is_in([0.0, 1.0]).all()


Floats = NDArray[np.float64]

_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER: Final = rf"[\p{{L}}\p{{M}}\p{{N}}--[{_UNSPACED}]]"
_WORD: Final = rf"[{_UNSPACED}]|{_LETTER}+(?:['’-]{_LETTER}+|[.,]\p{{N}}+)*|\S"


def as_read(texts: pl.Series) -> pl.Series:
    """The texts with composed characters and single blanks, none at the ends."""
    return texts.str.normalize("NFC").str.replace_all(r"[\s\p{Z}]+", " ").str.strip_chars(" ")


def words(texts: pl.Series) -> list[list[str]]:
    """The words of each text; punctuation marks are words, and so are characters of scripts without blanks.

    Apostrophes and hyphens inside a word belong to it (`don't`, `well-known`), points and commas to a number (`3.5`).
    """
    return texts.str.extract_all(_WORD).to_list()


def kept_words(outputs: pl.Series, edits: pl.Series) -> Floats:
    """1 - edit distance / longer length (n,), in words; 1 for two empty texts."""
    return _kept(words(as_read(outputs)), words(as_read(edits)))


def share_of_words(output: str, edit: str) -> float:
    """The same of one output."""
    return float(kept_words(pl.Series([output]), pl.Series([edit]))[0])


def kept_characters(outputs: pl.Series, edits: pl.Series) -> Floats:
    """The same in characters (Unicode code points)."""
    return _kept(as_read(outputs).to_list(), as_read(edits).to_list())


def _kept(before: Iterable[Sequence[str]], after: Iterable[Sequence[str]]) -> Floats:
    from rapidfuzz.distance import Levenshtein  # only studies with edits wait for it

    pairs = zip(before, after, strict=True)
    return np.array([Levenshtein.normalized_similarity(one, other) for one, other in pairs], dtype=np.float64)


def minus_hter(outputs: pl.Series, edits: pl.Series) -> Floats:
    """Minus sacrebleu's TER (n,) with its default settings, as a share: 0 for what was left as it was.

    An output of which nothing was left counts -1.

    Raises:
        ExtraMissingError: sacrebleu is not installed.
    """
    rate, pairs = _edit_rate(), zip(as_read(outputs).to_list(), as_read(edits).to_list(), strict=True)
    return np.array([0.0 - (rate(one, other) if one != other else 0.0) for one, other in pairs], dtype=np.float64)


def _edit_rate() -> Callable[[str, str], float]:
    try:
        from sacrebleu.metrics.ter import TER
    except ImportError:
        instead = ". EditWords and EditCharacters do without it"
        raise ExtraMissingError("HTER", "sacrebleu", "metrics", instead) from None
    ter = TER()
    return lambda output, edit: float(ter.sentence_score(output, [edit]).score) / 100


_OUTPUT: Final = ("item", "system", "sample")
_OF_EDITS: Final[Mapping[str, Callable[[pl.Series, pl.Series], Floats]]] = {
    "EditWords": kept_words,
    "EditCharacters": kept_characters,
    "HTER": minus_hter,
}


def edited_outputs(edits: pl.DataFrame, outputs: pl.DataFrame) -> pl.DataFrame:
    """Edits of outputs that the study has: item, system, sample, annotator, `output` and `edit`."""
    before = outputs.select(*_OUTPUT, output="text")
    after = edits.select(*_OUTPUT, "annotator", edit="text")
    return after.join(before, on=_OUTPUT, how="inner", nulls_equal=True, maintain_order="left")


def ratings_of_edits(edited: pl.DataFrame, criteria: Sequence[str]) -> list[pl.DataFrame]:
    """One rating for each of the `edited_outputs` on each of the criteria."""
    return [
        edited.select(
            *_OUTPUT,
            "annotator",
            criterion=pl.lit(name),
            value=pl.Series(_OF_EDITS[name](edited["output"], edited["edit"]), dtype=pl.Float64),
        )
        for name in criteria
    ]


def count_without_edit(ratings: pl.DataFrame, edits: pl.DataFrame) -> tuple[int, int]:
    """Outputs that people who edited also rated: how many they left without an edit, and of how many."""
    one = ("annotator", *_OUTPUT)
    rated = ratings.join(edits, on="annotator", how="semi").select(one).unique()
    return rated.join(edits, on=one, how="anti", nulls_equal=True).height, rated.height


def check_criteria(study: Study, asked: Sequence[str], known: Sequence[str], what: str = "criterion") -> None:
    """Raise UsageError for the first criterion asked for that is not `known` of a study with derived ratings: with the
    reason why it could not be derived, or with the nearest of those that are known, or are made only by name.
    """
    if set(asked) - set(known) and (reason := why_not_derived(study)):
        raise UsageError(reason)
    check_known(what, asked, list(dict.fromkeys((*known, *(found.name for found in derivable(study.tables))))))


def why_not_derived(study: Study) -> str:
    """Why labels from which ratings were to be derived gave none; "" where they gave some."""
    return next((notice.text for notice in study.notices if "underivable" in notice.details), "")


_NEGLIGIBLE: Final = 1e-6  # difference between ratings, which may have been rounded in a file


_Made = tuple[list[pl.DataFrame], list[Notice]]
"""Ratings, and what is to be known of them."""


def with_derived(study: Study, criteria: Sequence[str] | None = None, *, beside: bool = True) -> Study:
    """The study, whose ratings also have these criteria, as far as they can be derived from it.

    None: those that study.toml lists, else all but those that are made only by name; without `beside` only where people
    labelled nothing else, for analyses whose verdicts on it would be harder to reach. What people rated themselves
    stands: a criterion that the study has is not derived. The study's notices say what was derived from what.

    Raises:
        ExtraMissingError: HTER is asked for, and sacrebleu is not installed.
    """
    asked = study.settings.criteria if criteria is None else criteria
    if asked is None and not beside and set(study.criteria) - set(YES_OR_NO):
        return study
    wanted = _wanted(study, asked)
    given = [name for name in wanted if name in study.criteria]
    made = [name for name in wanted if name not in given]
    notices = _given(study, given)
    frames: list[pl.DataFrame] = []
    for ratings_made, said in (_of_spans(study, made), _of_edits(study, made)):
        frames += [frame for frame in ratings_made if frame.height]
        notices += said
    if not frames:
        return replace(study, notices=(*study.notices, *notices)) if notices else study
    derived = completed(pl.concat(frames), "ratings")
    ratings = derived if study.ratings is None else pl.concat([study.ratings, derived], how="diagonal_relaxed")
    made = [name for name in made if name in set(derived["criterion"])]
    stated = {name: scale for name, scale in study.settings.scale.items() if name not in made}
    own = {name: scale for name in made if (scale := DERIVED[name].scale) is not None}
    return replace(
        study,
        ratings=ratings,
        derived=tuple(made),
        settings=replace(study.settings, scale=stated | own),
        notices=(*study.notices, *notices),
    )


def _wanted(study: Study, asked: Sequence[str] | None) -> list[str]:
    labelled = [found for found in DERIVED.values() if getattr(study, found.source) is not None]
    return [found.name for found in labelled if (not found.by_name if asked is None else found.name in asked)]


def _given(study: Study, names: Sequence[str]) -> list[Notice]:
    """What is to be known of criteria that people rated themselves: that their edits or spans say otherwise."""
    frames = _of_spans(study, names)[0] + _of_edits(study, names)[0]
    if not frames or study.ratings is None:
        return []
    key = [name for name in TABLES["ratings"].key if name != "value"]
    both = study.ratings.join(pl.concat(frames), on=key, how="inner", nulls_equal=True, suffix=" derived")
    other = both.filter((pl.col("value") - pl.col("value derived")).abs() > _NEGLIGIBLE)
    return (
        [messages.given({name: DERIVED[name].source for name in names}, other.height, both.height)]
        if other.height
        else []
    )


def _of_spans(study: Study, names: Sequence[str]) -> _Made:
    names = [name for name in names if DERIVED[name].source == "spans"]
    if not names or study.spans is None:
        return [], []
    judged = JudgedAnswers.of(study.spans, study.ratings)
    notices = []
    if judged.unclear:
        notices.append(messages.unclear(judged.unclear))
    if study.passages is not None and (partly := judged.partly_judged(study.passages)):
        notices.append(messages.partly_judged(partly, judged.answers.height))
    return judged.ratings(names), notices


def _of_edits(study: Study, names: Sequence[str]) -> _Made:
    names = [name for name in names if DERIVED[name].source == "edits"]
    if not names or study.edits is None:
        return [], []
    edited = None if study.outputs is None else edited_outputs(study.edits, study.outputs)
    if edited is None or not edited.height:
        return [], [messages.nothing_edited(names, study.edits.height, without_outputs=edited is None)]
    notices = []
    if study.ratings is not None:
        left, rated = count_without_edit(study.ratings, study.edits)
        notices += [messages.without_edit(left, rated)] if left else []
    return ratings_of_edits(edited, names), notices
