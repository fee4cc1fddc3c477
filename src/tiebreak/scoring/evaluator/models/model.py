"""What every form does: it reads texts by an encoder, says how wrong it is about labels, and what it did not read.

How well a text and its context match, word for word (late interaction, as in ColBERT and BERTScore).

One score per text given its context.

Three logits for a pair of texts in a given order: from one score each, or from both texts in one sequence.

The scores of two texts give Davidson's probabilities of the three outcomes. The sequence with the context and both
texts is that of learning-to-compare, figure 1; scores of single texts that are compared with none are its baselines
(4.2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tiebreak.scoring.evaluator.examples.ratings import Rated
from tiebreak.scoring.evaluator.examples.rows import Pairs
from tiebreak.scoring.evaluator.models.encoders import (
    Ids,
    Limits,
    Tokens,
    by_length,
    cut,
    cut_middle,
    mean_of_tokens,
    padded,
)
from tiebreak.scoring.evaluator.settings import TrainSettings

Places = NDArray[np.intp]
Floats = NDArray[np.float64]


class Learner(torch.nn.Module, ABC):
    """A form: what is trained."""

    encoder: torch.nn.Module
    limits: Limits

    @abstractmethod
    def loss(self, tokens: Tokens, context: Places, rows: Any) -> torch.Tensor:
        """What training makes small, of the rows of its kind; `context`: of each text (T,)."""

    def always_read(self, tokens: Tokens) -> Limits:
        """The tokens of a context and of a text that are read of these, as far as they have so many."""
        return Limits(min(self.limits.context, tokens.longest - 2), min(self.limits.text, tokens.longest - 2))

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device


FEATURES: Final = 6
_USUAL: Final = (0.6, 0.7, 0.3, 0.2, 0.4, 0.8)
_SPREAD: Final = 5.0
"""Values of the features in ordinary texts, and what brings them to the size of the other inputs of a head."""
_SHARP: Final = 10.0


def matching(
    text: torch.Tensor, text_mask: torch.Tensor, about: torch.Tensor, about_mask: torch.Tensor
) -> torch.Tensor:
    """FEATURES of each of n texts beside its context.

    text (n, T, width), about (n, C, width): states of their tokens; masks (n, T) and (n, C), True where there is one.

    From the cosines of every word with every word: that of the means; of each word of the text with the word of the
    context that is most like it the mean, a smooth minimum and the spread; the same mean the other way round, which is
    how much of the context the text covers. The last is the logarithm of the text's length.
    """
    here, there = text_mask.to(text.dtype), about_mask.to(text.dtype)
    cosines = functional.normalize(text, dim=2) @ functional.normalize(about, dim=2).transpose(1, 2)
    best = cosines.masked_fill(~about_mask[:, None, :], -1.0).amax(2)
    mean = masked_mean(best.unsqueeze(2), here).squeeze(1)
    least = -torch.logsumexp(-_SHARP * best.masked_fill(~text_mask, torch.inf), 1) / _SHARP
    spread = masked_mean(((best - mean[:, None]) ** 2).unsqueeze(2), here).squeeze(1).clamp(min=1e-6).sqrt()
    covered = masked_mean(cosines.masked_fill(~text_mask[:, :, None], -1.0).amax(1).unsqueeze(2), there).squeeze(1)
    together = functional.cosine_similarity(masked_mean(text, here), masked_mean(about, there))
    found = torch.stack([together, mean, least, spread, covered, here.sum(1).log() / 5], 1)
    return (found - found.new_tensor(_USUAL)) * _SPREAD


def masked_mean(states: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The mean (n, width) of states (n, T, width) where weights (n, T) are 1 and not 0."""
    return (states * weights.unsqueeze(2)).sum(1) / weights.sum(1, keepdim=True)


_HIDDEN: Final = 128
_SPECIAL: Final = 2  # tokens around each text
_TEXTS_AT_ONCE: Final = 64
"""In judging: the cosines of all their words with all words of their contexts are in memory at once."""
_TEXTS_IN_GROUP: Final = 1024
"""In judging: what they are set beside is read once, and in memory for all of them."""


@dataclass(frozen=True, slots=True)
class States:
    """What the encoder made of n texts: states (n, T, width) of their tokens, where there is one (n, T), and the means
    (n, width).
    """

    tokens: torch.Tensor
    mask: torch.Tensor
    mean: torch.Tensor

    @classmethod
    def of(cls, tokens: torch.Tensor, mask: torch.Tensor) -> States:
        return cls(tokens, mask, masked_mean(tokens, mask.to(tokens.dtype)))

    def at(self, places: Places) -> States:
        """Those at these places, each as often as it is named."""
        chosen = torch.from_numpy(places).to(self.tokens.device)
        return States.of(self.tokens[chosen], self.mask[chosen])


@dataclass(frozen=True, slots=True)
class ScoredBeside:
    """What each of n texts is set beside: `states` of distinct ones, the `place` (n,) of its own among them, and where
    there is one (n,); None: everywhere.
    """

    states: States
    place: Places
    there: NDArray[np.bool_] | None = None

    def at(self, chosen: Places) -> ScoredBeside:
        """Of some of the texts."""
        return ScoredBeside(self.states, self.place[chosen], None if self.there is None else self.there[chosen])

    def features_of(self, read: States) -> list[torch.Tensor]:
        """The products of means (n, width) and FEATURES (n, 6) of the texts; zeros where there is nothing beside."""
        others = self.states.at(self.place)
        found = [read.mean * others.mean * 3, matching(read.tokens, read.mask, others.tokens, others.mask)]
        if self.there is None:
            return found
        there = torch.from_numpy(self.there).to(read.mean.device)[:, None]
        return [part * there for part in found]


class Scorer(Learner):
    """A small network on the mean of a text's states, its product with that of the context, and how words match.

    Texts and contexts are read by themselves: n texts about c contexts take n + c passes through the encoder.
    `beside`: how many other texts a text is set beside, its context among them.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, beside: int = 1) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits = encoder, limits
        self.head = torch.nn.Sequential(
            torch.nn.Linear(width + beside * (width + FEATURES), _HIDDEN),
            torch.nn.GELU(),
            torch.nn.Dropout(0.1),
            torch.nn.Linear(_HIDDEN, 1),
        )

    def scores_of(self, tokens: Tokens, context: Places, *numbers: Places) -> list[torch.Tensor]:
        """For training: scores of several rows of texts, each as long as its row; every text is read once."""
        texts = np.unique(np.concatenate(numbers))
        scores = self._scores(tokens, texts, self._beside(tokens, context, texts))
        return [scores[torch.from_numpy(np.searchsorted(texts, row)).to(scores.device)] for row in numbers]

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """The score of each of some texts (n,), for judging: one pass for each, and one for each context.

        `context`: of each text (T,); `at_once`: tokens in one batch, with what fills up shorter rows.
        """
        self.eval()
        found = np.empty(texts.size)
        with torch.inference_mode():
            for group in self._groups(tokens, context, texts, at_once):
                beside = self._beside(tokens, context, texts[group])
                lengths = [len(self._text(tokens, number)) + _SPECIAL for number in texts[group]]
                for batch in by_length(lengths, at_once, _TEXTS_AT_ONCE):
                    of_batch = [one.at(batch) for one in beside]
                    found[group[batch]] = self._scores(tokens, texts[group[batch]], of_batch).double().cpu().numpy()
        return found

    def _groups(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Iterator[Places]:
        """All texts of contexts of like length that are read in one batch, as far as they are not too many."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        counts = np.bincount(place, minlength=contexts.size)
        order = np.argsort(place, kind="stable")
        of_context = np.split(order, np.cumsum(counts)[:-1])
        lengths = [len(self._context(tokens, number)) + _SPECIAL for number in contexts]
        for batch in by_length(lengths, at_once) if contexts.size else ():
            mine = np.concatenate([of_context[number] for number in batch])
            yield from np.array_split(mine, -(-mine.size // _TEXTS_IN_GROUP))

    def _scores(self, tokens: Tokens, texts: Places, beside: Sequence[ScoredBeside]) -> torch.Tensor:
        """Scores (n,) of texts; `beside`: what the head reads besides."""
        read = self._read([self._text(tokens, number) for number in texts], tokens)
        inputs = torch.cat([read.mean, *(part for one in beside for part in one.features_of(read))], 1)
        found: torch.Tensor = self.head(inputs).squeeze(1)
        return found

    def _beside(self, tokens: Tokens, context: Places, texts: Places) -> list[ScoredBeside]:
        """The contexts of texts (n,), each distinct one read once."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        return [ScoredBeside(self._read([self._context(tokens, number) for number in contexts], tokens), place)]

    def _context(self, tokens: Tokens, number: int) -> Ids:
        return cut_middle(tokens.contexts[number], min(self.limits.context, tokens.longest - _SPECIAL))

    def _text(self, tokens: Tokens, number: int) -> Ids:
        return cut(tokens.texts[number], min(self.limits.text, tokens.longest - _SPECIAL))

    def _read(self, rows: Sequence[Ids], tokens: Tokens) -> States:
        """[CLS] tokens [SEP]."""
        ids, mask = padded([[tokens.first, *ids, tokens.end] for ids in rows], tokens.padding, self.device)
        states = self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return States.of(states, mask.bool())


class Comparer(Learner):
    """Compares texts of one context. Outcomes in the order better, tie, worse.

    `at_once`: what is judged in one go, and kept after it, a minute of work on one processor at most: so many pairs, or
    (`each_text_once`) texts and contexts, of whole items.
    """

    at_once: ClassVar[int] = 128
    each_text_once: ClassVar[bool] = False

    @abstractmethod
    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """For training (n, 3), or (2n, 3): in both orders. Of pairs (n,) of texts; `context`: of each text (T,)."""

    @abstractmethod
    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        """For judging (n, 3): as (a, b) is read, and as (b, a) is, turned round; `at_once`: tokens in one batch."""

    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> Floats:
        """The mean of both orders."""
        forth, back = self.orders(tokens, context, a, b, at_once)
        return (forth + back) / 2

    def comparing(self, tokens: Tokens, context: Places, at_once: int) -> Callable[[Places, Places], Floats]:
        """`probabilities` of pairs (n,) of these texts, for many calls."""
        return lambda a, b: self.probabilities(tokens, context, a, b, at_once)

    def loss(self, tokens: Tokens, context: Places, rows: Pairs) -> torch.Tensor:
        """The mean of -log of the probability of what was told (learning-to-compare, equation 1, for shares)."""
        found = self.logits(tokens, context, rows.a, rows.b).float()
        told = torch.from_numpy(rows.shares).float().to(found.device).repeat(found.shape[0] // len(rows), 1)
        return -(told * functional.log_softmax(found, dim=1)).sum(1).mean()


class Siamese(Scorer, Comparer):
    """With d the difference of two scores the logits are d/2, log nu and -d/2 (Davidson 1970, nu free), so that both
    orders of a pair always agree.
    """

    at_once = 512
    each_text_once = True

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__(encoder, limits)
        self.ties = ties
        self.log_nu = torch.nn.Parameter(torch.zeros(()))

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        first, second = self.scores_of(tokens, context, a, b)
        return self._davidson(first - second)

    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        found = self.comparing(tokens, context, at_once)(a, b)
        return found, found

    def comparing(self, tokens: Tokens, context: Places, at_once: int) -> Callable[[Places, Places], Floats]:
        """Each text is read when it is first asked for, and never again."""
        scores = np.full(len(tokens.texts), np.nan)

        def probabilities(a: Places, b: Places) -> Floats:
            asked = np.unique(np.concatenate([a, b]))
            fresh = asked[np.isnan(scores[asked])]
            scores[fresh] = self.scores(tokens, context, fresh, at_once)
            difference = torch.from_numpy(scores[a] - scores[b])
            with torch.inference_mode():
                logits = self._davidson(difference.to(self.device))
                return functional.softmax(logits, dim=1).double().cpu().numpy()

        return probabilities

    def _davidson(self, difference: torch.Tensor) -> torch.Tensor:
        tie = self.log_nu if self.ties else torch.full_like(self.log_nu, -30.0)
        half = difference.to(tie.dtype) / 2
        return torch.stack([half, tie.expand_as(half), -half], dim=1)


class Cross(Comparer):
    """[CLS] context [SEP] A [SEP] B [SEP], and three logits of the mean over its tokens. It is read in both orders.

    A and B have equal numbers of tokens at most; the context gets what they leave.
    """

    def __init__(self, encoder: torch.nn.Module, limits: Limits, *, ties: bool = True) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder, self.limits, self.ties = encoder, limits, ties
        self.head = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Linear(width, 3))
        self._kinds = int(getattr(encoder.config, "type_vocab_size", 0) or 0)

    def always_read(self, tokens: Tokens) -> Limits:
        """Of a context, beside the longest of these texts."""
        room = tokens.longest - 4
        text = min(self.limits.text, room // 3 if any(tokens.contexts) else room // 2)
        longest = min(max(map(len, tokens.texts), default=0), text)
        return Limits(min(self.limits.context, room - 2 * longest), text, shared=True)

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """Of both orders: the first n of (a, b), as (a, b) sees them; the next n of (b, a), turned round."""
        rows = [self._row(tokens, context, x, y) for x, y in zip(a, b, strict=True)]
        swapped = [self._row(tokens, context, y, x) for x, y in zip(a, b, strict=True)]
        found = self._read([*rows, *swapped], tokens)
        return torch.cat([found[: a.size], found[a.size :].flip(1)])

    def orders(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int) -> tuple[Floats, Floats]:
        self.eval()
        rows = [self._row(tokens, context, x, y) for x, y in zip(a, b, strict=True)]
        rows += [self._row(tokens, context, y, x) for x, y in zip(a, b, strict=True)]
        found = np.empty((len(rows), 3))
        with torch.inference_mode():
            for batch in by_length([len(ids) for ids, _ in rows], at_once):
                logits = self._read([rows[number] for number in batch], tokens)
                found[batch] = functional.softmax(logits.float(), dim=1).double().cpu().numpy()
        return found[: a.size], found[a.size :, ::-1]

    def _read(self, rows: list[tuple[Ids, Ids]], tokens: Tokens) -> torch.Tensor:
        ids, mask = padded([ids for ids, _ in rows], tokens.padding, self.device)
        more: dict[str, Any] = {}
        if self._kinds > 1:
            more["token_type_ids"] = padded([kinds for _, kinds in rows], 0, self.device)[0]
        found: torch.Tensor = self.head(mean_of_tokens(self.encoder, ids, mask, **more))
        if not self.ties:
            found = found + torch.tensor([0.0, -30.0, 0.0], device=found.device)
        return found

    def _row(self, tokens: Tokens, context: Places, a: int, b: int) -> tuple[Ids, Ids]:
        """Numbers, and which of the two kinds of sentence each belongs to."""
        room = tokens.longest - 4
        each = min(self.limits.text, room // 3 if tokens.contexts[context[a]] else room // 2)
        texts = [cut(tokens.texts[number], each) for number in (a, b)]
        about = cut_middle(tokens.contexts[context[a]], min(self.limits.context, room - sum(map(len, texts))))
        first = [tokens.first, *about, tokens.end, *texts[0], tokens.end]
        second = [*texts[1], tokens.end]
        return [*first, *second], [0] * len(first) + [1] * len(second)


class Discriminator(Scorer):
    """The score is the logit of the probability that a text was written by a person and not generated."""

    def __init__(self, encoder: torch.nn.Module, limits: Limits) -> None:
        super().__init__(encoder, limits)

    def loss(self, tokens: Tokens, context: Places, rows: Pairs) -> torch.Tensor:
        """Binary cross-entropy; the first of each pair is a reference, the second an output: as many of either."""
        references, outputs = self.scores_of(tokens, context, rows.a, rows.b)
        return (functional.softplus(-references.float()).mean() + functional.softplus(outputs.float()).mean()) / 2


class Regressor(Scorer):
    """The score is the mean rating that people would give. A text is set beside its context and, where `tokens` names
    one, beside a reference; where there is none, zeros stand for what would be read of it.

    `centre`, `spread`: mean and standard deviation of the ratings that it learns from; it learns standardised ones.
    """

    centre: torch.Tensor
    spread: torch.Tensor

    def __init__(self, encoder: torch.nn.Module, limits: Limits) -> None:
        super().__init__(encoder, limits, beside=2)
        self.register_buffer("centre", torch.zeros((), dtype=torch.float64))
        self.register_buffer("spread", torch.ones((), dtype=torch.float64))

    def standardise(self, centre: float, spread: float) -> None:
        """Learn ratings as so many standard deviations from their mean."""
        self.centre.fill_(centre)
        self.spread.fill_(spread)

    def loss(self, tokens: Tokens, context: Places, rows: Rated) -> torch.Tensor:
        """The mean squared error of standardised ratings."""
        (found,) = self.scores_of(tokens, context, rows.text)
        wanted = (torch.from_numpy(rows.values[:, 0]).to(found.device) - self.centre) / self.spread
        return functional.mse_loss(found.float(), wanted.float())

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Floats:
        """Ratings (n,) of some texts, on the scale of those that it learned from."""
        return float(self.centre) + float(self.spread) * super().scores(tokens, context, texts, at_once)

    def _beside(self, tokens: Tokens, context: Places, texts: Places) -> list[ScoredBeside]:
        references = np.full(texts.size, -1) if tokens.references is None else tokens.references[texts]
        known, place = np.unique(references, return_inverse=True)
        rows = [[] if number < 0 else self._text(tokens, number) for number in known]
        return [
            *super()._beside(tokens, context, texts), ScoredBeside(self._read(rows, tokens), place, references >= 0)
        ]  # fmt: skip


def make_model(encoder: torch.nn.Module, settings: TrainSettings) -> Comparer | Scorer:
    """A model of the form, whose head is drawn by the seed."""
    limits = Limits(settings.context_tokens, settings.text_tokens)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        if settings.form == "discriminator":
            return Discriminator(encoder, limits)
        if settings.form == "regressor":
            return Regressor(encoder, limits)
        return (Siamese if settings.form == "siamese" else Cross)(encoder, limits, ties=settings.ties)
