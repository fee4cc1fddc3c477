"""What the errors of a metric or judge go with: length, markdown, the side shown, the system, the group of items.

Each check asks whether outputs with some property win more often by the source than by people on the same comparisons,
or, of groups of items, whether agreement is another one there than elsewhere. A check by itself does not know of the
others: where one system writes longer texts, favouring it and favouring length look alike.

Families of models, by the words in their names: a judge may favour its own.

What an output looks like: how long it is and how much markdown it has. Counted, never judged.

Groups of items, by a column of the items table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.auditing.comparisons import Comparisons
from tiebreak.auditing.estimates import Contrast, Mean, Units
from tiebreak.auditing.pair_items import Replies
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.numbers import counted
from tiebreak.results.audits import Dependence, Estimate, Feature

_FAMILIES: Final = {
    "GPT": ("gpt", "chatgpt", "openai", "davinci", "o"),
    "Claude": ("claude", "anthropic", "sonnet", "opus", "haiku"),
    "Gemini": ("gemini", "gemma", "bard", "palm", "google"),
    "Llama": ("llama", "vicuna", "alpaca", "guanaco", "pandalm"),
    "Mistral": ("mistral", "mixtral", "ministral", "codestral", "zephyr"),
    "Qwen": ("qwen", "qwq"),
    "DeepSeek": ("deepseek",),
    "Command": ("cohere", "command", "aya"),
    "Phi": ("phi",),
    "Grok": ("grok", "xai"),
    "GLM": ("glm", "chatglm"),
    "Yi": ("yi",),
    "Nova": ("nova",),
    "Falcon": ("falcon",),
    "OLMo": ("olmo", "tulu"),
}
"""Words that a model's name may have, by family; a fine-tuned model counts to what it was made from."""

_WORDS: Final = re.compile(r"[a-z]+")
_O_SERIES: Final = re.compile(r"(?<![a-z0-9])o[134](?![0-9])")


def family_of(name: str) -> str | None:
    """The family that a name points to, if it points to one and no other."""
    folded = name.casefold()
    words = set(_WORDS.findall(folded)) - {"o"}
    if _O_SERIES.search(folded):
        words.add("o")
    found = {family for family, marks in _FAMILIES.items() if words & set(marks)}
    return found.pop() if len(found) == 1 else None


def same_family(judge: str, system: str) -> str | None:
    """What both names point to: a family, or the same name; None otherwise."""
    family = family_of(judge)
    if family is not None and family == family_of(system):
        return family
    return system if judge.casefold() == system.casefold() else None


FEATURES: Final[dict[Feature, str]] = {
    "length": r"\S+",
    "lists": r"(?m)^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S",
    "headings": r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S",
    "bold": r"\*\*[^*\s](?:[^*\n]*[^*\s])?\*\*|__[^_\s](?:[^_\n]*[^_\s])?__",
}
"""What counts once for each match: words, list items, headings, bold passages."""


def features(study: Study, index: ItemIndex) -> dict[Feature, Floats]:
    """Counts (n_systems, n_items) of each feature, rows as in `index.text_row`, NaN without an output; none without
    outputs."""
    if study.outputs is None:
        return {}
    frame = study.outputs.with_columns(text=pl.col("text").fill_null(""))
    rows, items = name_numbers(frame["system"], list(index.text_row)), index.numbers(frame["item"])
    found: dict[Feature, Floats] = {}
    for name, pattern in FEATURES.items():
        counts = np.full((len(index.text_row), len(index.items)), np.nan)
        counts[rows, items] = frame["text"].str.count_matches(pattern).to_numpy()
        found[name] = counts
    return found


Floats = NDArray[np.float64]
Places = NDArray[np.intp]

FEWEST_COMPARISONS: Final = 10
FEWEST_UNITS: Final = 6
"""Below 6 independent units no interval at 95% can exclude anything."""
FEWEST_OF_A_SIDE: Final = 5
"""Replies of a pair with either system on the left that tell what it would say without a preference for a side."""
_USUALLY: Final = 0.8
_ALL_ALIKE: Final = "no difference on any item"


@dataclass(frozen=True, slots=True)
class DependenceCheck:
    """A check before its level is known: what it found, and the figure that an interval will be made for."""

    found: Dependence
    figure: Mean | Contrast | None = None

    def at(self, alpha: float) -> Dependence:
        """With its interval at level 1 - `alpha`."""
        if self.figure is None:
            return self.found
        effect = self.figure.estimate(alpha)
        shown = effect.low is not None and effect.high is not None and (effect.low > 0 or effect.high < 0)
        why = _ALL_ALIKE if effect.value == 0 and self.figure.error == 0 else ""
        return replace(self.found, effect=effect, shown=shown, would_show=self._would_show(effect), why=why)

    def _would_show(self, effect: Estimate) -> float | None:
        """What lies so far from 0 that its own interval excludes 0 in 80% of such studies; below 1, the largest."""
        if effect.value is None or effect.low is None or effect.high is None or self.figure is None:
            return None
        if not self.figure.error > 0:
            return None
        far = max(effect.high - effect.value, effect.value - effect.low) + float(ndtri(_USUALLY)) * self.figure.error
        return far if far < 1 else None


def of_features(
    of: Comparisons, counts: Mapping[Feature, Floats], rows: Mapping[str, int]
) -> Iterator[DependenceCheck]:
    """Whether the output with more words, list items, headings or bold passages wins more often.

    `counts`: of each feature (n_systems, n_items); `rows`: of systems in them.
    """
    first, second = of.sides(rows)
    written = (first >= 0) & (second >= 0)
    for feature in FEATURES:
        if not counts:
            yield DependenceCheck(Dependence(feature, why="the study has no outputs"))
            continue
        of_first, of_second = (counts[feature][rows_of, of.item] for rows_of in (first, second))
        more = np.where(written, np.nan_to_num(np.sign(of_first - of_second)), 0.0)
        yield _of_side(Dependence(feature), of, more, " of outputs that differ in it")


def of_systems(of: Comparisons, source: str) -> Iterator[DependenceCheck]:
    """Whether a system wins more often; of two systems one says all."""
    shared = {name: same_family(source, name) for name in of.systems}
    about = of.systems
    numbers = {name: number for number, name in enumerate(about)}
    first, second = of.sides({place: numbers[name] for place, name in of.system_of.items() if name in numbers})
    if len(about) == 2:
        about = (next((name for name in about if shared[name]), about[0]),)
    for name in about:
        side = (first == numbers[name]).astype(np.float64) - (second == numbers[name])
        yield _of_side(Dependence("system", name, family=shared[name]), of, side, "")


def _of_side(found: Dependence, of: Comparisons, side: Floats, which: str) -> DependenceCheck:
    """Of the outputs on one side of each comparison: 1 the first, -1 the second, 0 neither; `which` these are."""
    used = side != 0
    said, human = side[used] * of.said[used], side[used] * of.human[used]
    return _wins(found, said, human, of.units.among(used), ("comparison", which))


def of_order(of: Comparisons, replies: Replies) -> DependenceCheck:
    """Whether the output on the left wins more often, by all replies whose sides are known; people are not needed.

    What a judge says of a pair of systems without a preference for a side is the mean of what it says with either of
    them on the left. Chance must have decided the side, or both orders were asked.
    """
    if not replies.left.any():
        return DependenceCheck(Dependence("side", why="its table does not say what was shown on the left"))
    pair = np.unique(replies.cell // replies.item_count, return_inverse=True)[1]
    least = np.stack([np.bincount(pair, weights=replies.left == side) for side in (1, -1)]).min(axis=0)
    if not least.any():
        return DependenceCheck(Dependence("side", why="one system of each pair was always shown on the left"))
    used = (replies.left != 0) & (least >= FEWEST_OF_A_SIDE)[pair]
    left, said = replies.left[used].astype(np.float64), replies.said[used]
    units = of.claim.units(replies.item[used], replies.said.size)
    which = f" of pairs with {FEWEST_OF_A_SIDE} or more on either side"
    return _wins(Dependence("side"), left * said, _without_a_side(left, said, pair[used]), units, ("answer", which))


def _without_a_side(left: Floats, said: Floats, pair: Places) -> Floats:
    """What the output on the left would win (r,) without a preference for a side.

    The replies of a pair are less spread about their two means than others would be, as two parameters are fitted: the
    spread is widened by that.
    """
    count = np.bincount(pair).astype(np.float64)
    first, second = (
        np.bincount(pair, weights=said * (left == side)) / np.maximum(np.bincount(pair, weights=left == side), 1)
        for side in (1, -1)
    )
    liking = ((first - second) / 2)[pair]  # the mean of left * (said - what the pair would get)
    residual = left * (said - ((first + second) / 2)[pair]) - liking
    widened = liking + residual * np.sqrt(count / np.maximum(count - 2, 1))[pair]
    return np.asarray(left * said - np.clip(widened, -2.0, 2.0))


def of_groups(of: Comparisons, groups: Sequence[str | None], *, by_item: bool) -> Iterator[DependenceCheck]:
    """Whether agreement in a group of items is another one than elsewhere.

    `groups` (n_items,): the group of every item, None for items without one, which are left out; `by_item`: items are
    independent within a group, which is a cluster itself.
    """
    names = np.array([groups[item] or "" for item in of.item], dtype=np.str_)
    grouped = names != ""
    units = of.units.among(grouped)
    units = Units(of.item[grouped], units.seen) if by_item else units
    names, agrees = names[grouped], (of.said == of.people)[grouped].astype(np.float64)
    for name in sorted(set(names.tolist())):
        inside = names == name
        yield _group(name, inside, agrees, units)


def _group(name: str, inside: NDArray[np.bool_], agrees: Floats, units: Units) -> DependenceCheck:
    found = Dependence("group", name)
    for which in (inside, ~inside):
        where = " in it" if which is inside else " elsewhere"
        if why := _too_few(int(which.sum()), np.unique(units.of[which]).size, "comparison", where):
            return DependenceCheck(replace(found, why=why))
    figure = Contrast.of(agrees, inside, units)
    here, elsewhere = figure.shares
    return DependenceCheck(replace(found, inside=here, elsewhere=elsewhere), figure)


def _wins(found: Dependence, said: Floats, human: Floats, units: Units, what: tuple[str, str]) -> DependenceCheck:
    """From values (k,) of the outputs with a property, by the source and by people; `what` they are in words."""
    if why := _too_few(said.size, np.unique(units.of).size, *what):
        return DependenceCheck(replace(found, why=why))
    by_source, by_people = (float((1 + values.mean()) / 2) for values in (said, human))
    return DependenceCheck(replace(found, by_source=by_source, by_people=by_people), Mean.of((said - human) / 2, units))


def _too_few(count: int, units: int, noun: str, which: str) -> str:
    """Why so many of them are not enough, or ""."""
    if count < FEWEST_COMPARISONS:
        return f"{f'only {counted(count, noun)}' if count else f'no {noun}'}{which}"
    return f"only {counted(units, 'independent unit')}{which}" if units < FEWEST_UNITS else ""


MOST_GROUPS: Final = 20
_DEFAULT: Final = "cluster"


@dataclass(frozen=True, slots=True)
class Groups:
    """The `column` that items are grouped by, and the group of every item (n_items,), None for items without one."""

    column: str
    of_items: tuple[str | None, ...]

    @property
    def are_clusters(self) -> bool:
        """Whether a group is itself what items depend on one another in."""
        return self.column == _DEFAULT


def groups_of(study: Study, index: ItemIndex, column: str | None) -> Groups | None:
    """The groups by a column; without one named, by clusters where there are few of them, and None where not.

    Raises:
        UsageError: a column that items do not have, or with fewer than 2 or more than 20 groups.
    """
    if column is not None:
        columns = [] if study.items is None else [name for name in study.items.columns if name != "item"]
        check_known("column of items", [column], columns)
    name = column or _DEFAULT
    if study.items is None:
        return None
    text = pl.col(name).cast(pl.String, strict=False).str.strip_chars()
    named = study.items.select("item", group=text).filter(pl.col("group").fill_null("") != "")
    count = named["group"].n_unique()
    if column is not None and not 2 <= count <= MOST_GROUPS:
        raise UsageError(
            f"--group {column} has {count:,} group{'' if count == 1 else 's'}: name a column of items with 2 to "
            f"{MOST_GROUPS}"
        )
    if not 2 <= count <= MOST_GROUPS:
        return None
    group = dict(named.iter_rows())
    return Groups(name, tuple(group.get(item) for item in index.items))
