"""What is trained: an encoder, one of two ways to read texts by it, and a head.

Texts are read apart, or a pair of them in one sequence with its context (learning-to-compare, figure 1). The scores of
two texts that were read apart give Davidson's probabilities of the three outcomes. Scores of single texts that are
compared with none are the paper's baselines (4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tiebreak.scoring.evaluator.examples.rows import Floats, Places
from tiebreak.scoring.evaluator.models.encoders import Ids, Limits, Tokens, by_length, cut_middle, masked_mean, padded
from tiebreak.scoring.evaluator.settings import Form, TrainSettings

AT_ONCE: Final = 16_384
"""Tokens in one batch of judging, with what fills up shorter rows."""
FEATURES: Final = 6
_USUAL: Final = (0.6, 0.7, 0.3, 0.2, 0.4, 0.8)
_SPREAD: Final = 5.0
"""Values of the features in ordinary texts, and what brings them to the size of the other inputs of a head."""
_SHARP: Final = 10.0
_HIDDEN: Final = 128
_DROPPED: Final = 0.1
_SPECIAL: Final = 2  # tokens around each text
_NO_TIE: Final = -30.0
_TEXTS_AT_ONCE: Final = 64
"""In judging: the cosines of all their words with all words of their contexts are in memory at once."""
_TEXTS_IN_GROUP: Final = 1024
"""In judging: what they are set beside is read once, and in memory for all of them."""


class Model(torch.nn.Module):
    """A form. `siamese`: texts apart, and with d the difference of two scores the logits d/2, log nu and -d/2 (Davidson
    1970, nu free), so that both orders of a pair always agree. `cross`: the context and both texts in one sequence, in
    both orders. `discriminator`: the score is the logit of the probability that a person wrote the text. `regressor`:
    it is the mean rating that people would give; a text is set beside its context and, where there is one, a reference.

    Outcomes come in the order better, tie, worse. `context` is that of each text (T,) wherever it is asked for.
    `centre`, `spread`: mean and standard deviation of ratings that are learned; standardised ones are. `read_once`:
    what a frozen encoder made of the texts of a training.
    """

    centre: torch.Tensor
    spread: torch.Tensor

    def __init__(self, encoder: torch.nn.Module, limits: Limits, form: Form = "siamese", *, ties: bool = True) -> None:
        super().__init__()
        self.encoder, self.limits, self.form, self.ties = encoder, limits, form, ties
        self.read_once: ReadOnce | None = None
        width, beside = int(encoder.config.hidden_size), 2 if form == "regressor" else 1
        if form == "cross":
            self.reader: TextsApart | PairAtOnce = PairAtOnce(encoder, limits)
            layers = [torch.nn.Dropout(_DROPPED), torch.nn.Linear(width, 3)]
        else:
            self.reader = TextsApart(encoder, limits, beside_references=form == "regressor")
            wide = torch.nn.Linear(width + beside * (width + FEATURES), _HIDDEN)
            layers = [wide, torch.nn.GELU(), torch.nn.Dropout(_DROPPED), torch.nn.Linear(_HIDDEN, 1)]
        self.head = torch.nn.Sequential(*layers)
        if form == "siamese":
            self.log_nu = torch.nn.Parameter(torch.zeros(()))
        if form == "regressor":
            self.register_buffer("centre", torch.zeros((), dtype=torch.float64))
            self.register_buffer("spread", torch.ones((), dtype=torch.float64))

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def always_read(self, tokens: Tokens) -> Limits:
        """The tokens of a context and of a text that are read of these, as far as they have so many."""
        return self.reader.always_read(tokens)

    def loss(self, tokens: Tokens, context: Places, rows: Any) -> torch.Tensor:
        """What training makes small: for comparisons the mean of -log of the probability of what was told
        (learning-to-compare, equation 1, for shares); for a discriminator binary cross-entropy of pairs of a reference
        and an output; for a regressor the mean squared error of standardised ratings.
        """
        if self.form == "discriminator":
            references, outputs = self.scores_of(tokens, context, rows.a, rows.b)
            return (functional.softplus(-references.float()).mean() + functional.softplus(outputs.float()).mean()) / 2
        if self.form == "regressor":
            (scores,) = self.scores_of(tokens, context, rows.text)
            wanted = (torch.from_numpy(rows.values[:, 0]).to(scores.device) - self.centre) / self.spread
            return functional.mse_loss(scores.float(), wanted.float())
        logits = self.logits(tokens, context, rows.a, rows.b).float()
        told = torch.from_numpy(rows.shares).float().to(logits.device).repeat(logits.shape[0] // len(rows), 1)
        return -(told * functional.log_softmax(logits, dim=1)).sum(1).mean()

    # What compares.

    def logits(self, tokens: Tokens, context: Places, a: Places, b: Places) -> torch.Tensor:
        """For training, of pairs (n,): (n, 3), or of a sequence (2n, 3): as (a, b) sees them in the order (a, b), then
        in the order (b, a).
        """
        if isinstance(self.reader, TextsApart):
            first, second = self.scores_of(tokens, context, a, b)
            return self._davidson(first - second)
        found = self._read_pairs(self.reader.rows(tokens, context, a, b), tokens)
        return torch.cat([found[: a.size], found[a.size :].flip(1)])

    def orders(
        self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int = AT_ONCE
    ) -> tuple[Floats, Floats]:
        """For judging (n, 3): as (a, b) is read, and as (b, a) is, turned round; `at_once`: tokens in one batch."""
        if isinstance(self.reader, TextsApart):
            found = self.comparing(tokens, context, at_once)(a, b)
            return found, found
        self.eval()
        rows = self.reader.rows(tokens, context, a, b)
        found = np.empty((len(rows), 3))
        with torch.inference_mode():
            for batch in by_length([len(ids) for ids, _ in rows], at_once):
                logits = self._read_pairs([rows[number] for number in batch], tokens)
                found[batch] = functional.softmax(logits.float(), dim=1).double().cpu().numpy()
        return found[: a.size], found[a.size :, ::-1]

    def probabilities(self, tokens: Tokens, context: Places, a: Places, b: Places, at_once: int = AT_ONCE) -> Floats:
        """The mean (n, 3) of both orders."""
        forth, back = self.orders(tokens, context, a, b, at_once)
        return (forth + back) / 2

    def comparing(self, tokens: Tokens, context: Places, at_once: int = AT_ONCE) -> Callable[[Places, Places], Floats]:
        """`probabilities` of pairs (n,), for many calls. A text that is read apart is read when it is first asked for,
        and never again.
        """
        if isinstance(self.reader, PairAtOnce):
            return lambda a, b: self.probabilities(tokens, context, a, b, at_once)
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
        tie = self.log_nu if self.ties else torch.full_like(self.log_nu, _NO_TIE)
        half = difference.to(tie.dtype) / 2
        return torch.stack([half, tie.expand_as(half), -half], dim=1)

    def _read_pairs(self, rows: Sequence[tuple[Ids, Ids]], tokens: Tokens) -> torch.Tensor:
        found: torch.Tensor = self.head(self.reader.means(rows, tokens, self.device))  # type: ignore[union-attr]
        return found if self.ties else found + torch.tensor([0.0, _NO_TIE, 0.0], device=found.device)

    # Scores of texts that are read apart.

    def scores_of(self, tokens: Tokens, context: Places, *numbers: Places) -> list[torch.Tensor]:
        """For training: scores of several rows of texts, each as long as its row; every text is read once."""
        reader = self._apart
        texts = np.unique(np.concatenate(numbers))
        inputs = self._known(tokens, texts)
        if inputs is None:
            inputs = reader.inputs(tokens, texts, reader.beside(tokens, context, texts, self.device), self.device)
        scores = self.head(inputs).squeeze(1)
        return [scores[torch.from_numpy(np.searchsorted(texts, row)).to(scores.device)] for row in numbers]

    def scores(self, tokens: Tokens, context: Places, texts: Places, at_once: int = AT_ONCE) -> Floats:
        """The score of each of some texts (n,), for judging: one pass for each, and one for each context. A regressor's
        are on the scale of the ratings that it learned from.
        """
        self.eval()
        scores = np.empty(texts.size)
        with torch.inference_mode():
            known = self._known(tokens, texts)
            every = self._read(tokens, context, texts, at_once) if known is None else [(np.arange(texts.size), known)]
            for place, inputs in every:
                scores[place] = self.head(inputs).squeeze(1).double().cpu().numpy()
        return float(self.centre) + float(self.spread) * scores if self.form == "regressor" else scores

    def freeze(self, tokens: Tokens, context: Places, texts: Places) -> None:
        """From now on the head alone learns, from what the encoder makes of these texts (n,), sorted: each is read once
        and never again.
        """
        self.eval()
        self.encoder.requires_grad_(False)
        with torch.no_grad():
            places, inputs = zip(*self._read(tokens, context, texts, AT_ONCE), strict=True)
            order = torch.from_numpy(np.argsort(np.concatenate(places))).to(self.device)
            self.read_once = ReadOnce(tokens, texts, torch.cat(inputs)[order])

    def _known(self, tokens: Tokens, texts: Places) -> torch.Tensor | None:
        return None if self.read_once is None else self.read_once.at(tokens, texts)

    def _read(
        self, tokens: Tokens, context: Places, texts: Places, at_once: int
    ) -> Iterator[tuple[Places, torch.Tensor]]:
        """What the head gets of texts (n,), in batches: their places, and the inputs."""
        reader = self._apart
        for group in reader.groups(tokens, context, texts, at_once):
            beside = reader.beside(tokens, context, texts[group], self.device)
            lengths = [len(reader.text(tokens, number)) + _SPECIAL for number in texts[group]]
            for batch in by_length(lengths, at_once, _TEXTS_AT_ONCE):
                mine = [other.at(batch) for other in beside]
                yield group[batch], reader.inputs(tokens, texts[group[batch]], mine, self.device)

    @property
    def _apart(self) -> TextsApart:
        if isinstance(self.reader, TextsApart):
            return self.reader
        raise TypeError(f"a model of the form {self.form} has no score of a single text")


@dataclass(frozen=True, slots=True)
class ReadOnce:
    """What a head gets of some texts, `inputs` (n, width), by their numbers among those of `tokens`: `texts` (n,),
    sorted.
    """

    tokens: Tokens
    texts: Places
    inputs: torch.Tensor

    def at(self, tokens: Tokens, texts: Places) -> torch.Tensor | None:
        """That of some of them; None where one was not read."""
        if tokens is not self.tokens or not np.isin(texts, self.texts).all():
            return None
        return self.inputs[torch.from_numpy(np.searchsorted(self.texts, texts)).to(self.inputs.device)]


@dataclass(frozen=True, slots=True)
class PairAtOnce:
    """[CLS] context [SEP] A [SEP] B [SEP]. A and B have equal numbers of tokens at most; the context gets what they
    leave.
    """

    encoder: torch.nn.Module
    limits: Limits

    def always_read(self, tokens: Tokens) -> Limits:
        """Of a context, beside the longest of these texts."""
        text = self._most(tokens, any(map(bool, tokens.contexts)))
        longest = min(max(map(len, tokens.texts), default=0), text)
        return Limits(min(self.limits.context, tokens.longest - 4 - 2 * longest), text, shared=True)

    def rows(self, tokens: Tokens, context: Places, a: Places, b: Places) -> list[tuple[Ids, Ids]]:
        """Of pairs (n,) in the one order and then in the other (2n): numbers, and to which of the two kinds of sentence
        each belongs.
        """
        pairs = [*zip(a, b, strict=True), *zip(b, a, strict=True)]
        return [self.row(tokens, context, first, second) for first, second in pairs]

    def row(self, tokens: Tokens, context: Places, a: int, b: int) -> tuple[Ids, Ids]:
        """Of one pair in this order."""
        about = tokens.contexts[context[a]]
        most = self._most(tokens, bool(about))
        texts = [tokens.texts[number][:most] for number in (a, b)]
        about = cut_middle(about, min(self.limits.context, tokens.longest - 4 - sum(map(len, texts))))
        first = [tokens.first, *about, tokens.end, *texts[0], tokens.end]
        second = [*texts[1], tokens.end]
        return [*first, *second], [0] * len(first) + [1] * len(second)

    def means(self, rows: Sequence[tuple[Ids, Ids]], tokens: Tokens, device: torch.device) -> torch.Tensor:
        """The mean (n, width) of the encoder's last layer over the tokens of each row."""
        ids, mask = padded([ids for ids, _ in rows], tokens.padding, device)
        kinds: dict[str, Any] = {}
        if int(getattr(self.encoder.config, "type_vocab_size", 0) or 0) > 1:
            kinds["token_type_ids"] = padded([kinds for _, kinds in rows], 0, device)[0]
        states = self.encoder(input_ids=ids, attention_mask=mask.long(), **kinds).last_hidden_state
        return masked_mean(states, mask.to(states.dtype))

    def _most(self, tokens: Tokens, has_context: bool) -> int:
        return min(self.limits.text, (tokens.longest - 4) // (3 if has_context else 2))


@dataclass(frozen=True, slots=True)
class States:
    """What the encoder made of n texts: states (n, T, width) of their tokens, and where there is one (n, T)."""

    tokens: torch.Tensor
    mask: torch.Tensor

    @property
    def mean(self) -> torch.Tensor:
        """(n, width)."""
        return masked_mean(self.tokens, self.mask.to(self.tokens.dtype))


@dataclass(frozen=True, slots=True)
class Beside:
    """What each of n texts is set beside: `states` of distinct ones, the `place` (n,) of its own among them, and where
    there is one (n,).
    """

    states: States
    place: Places
    there: NDArray[np.bool_]

    def at(self, chosen: Places) -> Beside:
        """Of some of the texts."""
        return Beside(self.states, self.place[chosen], self.there[chosen])

    def features_of(self, read: States) -> list[torch.Tensor]:
        """The products of means (n, width) and FEATURES (n, 6) of the texts; zeros where there is nothing beside."""
        place = torch.from_numpy(self.place).to(read.mask.device)
        others = States(self.states.tokens[place], self.states.mask[place])
        there = torch.from_numpy(self.there).to(read.mask.device)[:, None]
        both = (read.mean * others.mean * 3, matching(read.tokens, read.mask, others.tokens, others.mask))
        return [part * there for part in both]


@dataclass(frozen=True, slots=True)
class TextsApart:
    """Texts and what they are set beside are read by themselves: n texts about c contexts take n + c passes.

    A head gets the mean of a text's states, its product with that of the context, and how words match;
    `beside_references`: the same for a reference of the text, zeros where `tokens` names none.
    """

    encoder: torch.nn.Module
    limits: Limits
    beside_references: bool = False

    def always_read(self, tokens: Tokens) -> Limits:
        """Of any context and text."""
        room = tokens.longest - _SPECIAL
        return Limits(min(self.limits.context, room), min(self.limits.text, room))

    def inputs(self, tokens: Tokens, texts: Places, beside: Sequence[Beside], device: torch.device) -> torch.Tensor:
        """What the head gets of texts (n,)."""
        read = self._read([self.text(tokens, number) for number in texts], tokens, device)
        return torch.cat([read.mean, *(part for other in beside for part in other.features_of(read))], 1)

    def beside(self, tokens: Tokens, context: Places, texts: Places, device: torch.device) -> list[Beside]:
        """The contexts of texts (n,), and their references where these are read, each distinct one read once."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        about = self._read([self._context(tokens, number) for number in contexts], tokens, device)
        found = [Beside(about, place, np.full(texts.size, True))]
        if self.beside_references:
            references = np.full(texts.size, -1) if tokens.references is None else tokens.references[texts]
            known, place = np.unique(references, return_inverse=True)
            rows = [[] if number < 0 else self.text(tokens, number) for number in known]
            found.append(Beside(self._read(rows, tokens, device), place, references >= 0))
        return found

    def groups(self, tokens: Tokens, context: Places, texts: Places, at_once: int) -> Iterator[Places]:
        """All texts of contexts of like length that are read in one batch, as far as they are not too many."""
        contexts, place = np.unique(context[texts], return_inverse=True)
        of_context = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
        lengths = [len(self._context(tokens, number)) + _SPECIAL for number in contexts]
        for batch in by_length(lengths, at_once) if contexts.size else ():
            mine = np.concatenate([of_context[number] for number in batch])
            yield from np.array_split(mine, -(-mine.size // _TEXTS_IN_GROUP))

    def text(self, tokens: Tokens, number: int) -> Ids:
        """What is read of a text."""
        return tokens.texts[number][: self.always_read(tokens).text]

    def _context(self, tokens: Tokens, number: int) -> Ids:
        return cut_middle(tokens.contexts[number], self.always_read(tokens).context)

    def _read(self, rows: Sequence[Ids], tokens: Tokens, device: torch.device) -> States:
        """[CLS] tokens [SEP]."""
        ids, mask = padded([[tokens.first, *ids, tokens.end] for ids in rows], tokens.padding, device)
        return States(self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state, mask)


def matching(
    text: torch.Tensor, text_mask: torch.Tensor, about: torch.Tensor, about_mask: torch.Tensor
) -> torch.Tensor:
    """FEATURES of each of n texts beside its context, word for word (late interaction, as in ColBERT and BERTScore).

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


def make_model(encoder: torch.nn.Module, settings: TrainSettings) -> Model:
    """A model of the form, whose head is drawn by the seed."""
    limits = Limits(settings.context_tokens, settings.text_tokens)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        return Model(encoder, limits, settings.form, ties=settings.ties)
