"""Groups of trainings that differ in drawn settings: what each wrote, and how good it truly is. Kept in a folder."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.papers.testbed.networks import NETWORKS, Network
from benchmarks.papers.testbed.texts import Split, TextPair, Vocabulary, pairs_of, split
from benchmarks.papers.testbed.training import Numbers, Training, dev_loss, draw, padded, seed_of, trained, write

from tiebreak.files import write_bytes
from tiebreak.scoring.evaluator.settings import TrainSettings
from tiebreak.scoring.metric import Batch
from tiebreak.scoring.registry import known_metrics

LOSS = "loss"
TRUTHS = {LOSS: "loss", "chrf": "chrF", "rougeL": "ROUGE-L"}
"""What says which checkpoint is best, on packages that nothing else sees."""

BLEU = "bleu-234"
_CODE = ("networks/*.py", "texts.py", "training.py", "trials.py")
_OF_EVALUATORS = ("groups", "pilots", "learned", "per_item", "contexts", "rounds", "encoder")

Pairs = Sequence[TextPair]


@dataclass(frozen=True, slots=True)
class Plan:
    """`groups` of each network, each of so many `settings`, of which the first is followed by early stopping; of each
    training one of `chosen_from` checkpoints is a candidate. Packages of a group: those that its networks learn from,
    those of the dev loss, those for which they write to be `judged`, and `unseen` ones for the truth: these two each
    for a candidate, and for every checkpoint that is followed. `aside`: packages that no group sees, with which
    evaluators are made: `pilots` of each network write for `learned` of them.
    """

    groups: int = 17
    settings: int = 5
    steps: int = 200
    checkpoints: int = 40
    chosen_from: int = 10
    train: int = 500
    dev: int = 200
    judged: tuple[int, int] = (100, 40)
    unseen: tuple[int, int] = (300, 100)
    aside: int = 6000
    pilots: int = 2
    learned: int = 200
    vocabulary: int = 2000
    per_item: int = 4
    contexts: int = 4
    rounds: float = 0.4
    encoder: str = TrainSettings().encoder

    def training(self, checkpoints: int) -> Training:
        """What all trainings have in common; the network is drawn with the settings."""
        return Training(
            network="", steps=self.steps, checkpoints=checkpoints, temperature=0.5, source_tokens=24, target_tokens=14
        )

    def key(self, *parts: str | int) -> str:
        """Names what was made by this plan and this code."""
        folder = Path(__file__).parent
        files = sorted(path for pattern in _CODE for path in folder.glob(pattern))
        code = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
        mine = {name: value for name, value in asdict(self).items() if name not in _OF_EVALUATORS}
        return "-".join(map(str, (*parts, hashed(mine, code))))


@dataclass(frozen=True)
class Trials:
    """The plan, where everything is kept, and where the files of the task are."""

    plan: Plan
    cache: Path
    data: Path | None
    say: Callable[[str], None]

    @cache  # noqa: B019  (it lives as long as the program)
    def parts(self) -> tuple[Split, Vocabulary]:
        """`dev`: the packages that are set aside; `train`: those of the groups; and the vocabulary of the former."""
        parts = split(pairs_of(self.data, self.cache), 0, dev=self.plan.aside, written=0)
        return parts, Vocabulary.of(parts.dev, self.plan.vocabulary)

    def material(self, network: str, number: int) -> Split:
        """The packages of a group: `written` has those to be judged first, then the unseen ones."""
        plan = self.plan
        written = plan.judged[0] + plan.unseen[0]
        parts = split(self.parts()[0].train, group_seed(network, number), dev=plan.dev, written=written)
        return Split(parts.train[: plan.train], parts.dev, parts.written)


@dataclass(frozen=True, slots=True)
class Written:
    """A checkpoint. `texts`, and their mean `bleu`, for the packages that are judged; `truth`: measures on the unseen
    ones, each higher for better.
    """

    step: int
    dev_loss: float
    texts: tuple[str, ...]
    bleu: float
    truth: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Group:
    """`candidates`: of each training one checkpoint, that with the lowest of its `dev_losses`, which were measured a
    few times; `followed`: all checkpoints of the first training; `cpu`: seconds.
    """

    network: str
    number: int
    settings: tuple[Mapping[str, Any], ...]
    candidates: tuple[Written, ...]
    followed: tuple[Written, ...]
    dev_losses: tuple[tuple[float, ...], ...]
    cpu: float

    @property
    def name(self) -> str:
        return f"{self.network}-{self.number}"


def groups_of(trials: Trials) -> list[Group]:
    """All groups, the networks in turn."""
    return [group_of(trials, network, number) for number in range(1, trials.plan.groups + 1) for network in NETWORKS]


def group_of(trials: Trials, network: str, number: int) -> Group:
    """Trained, unless it was before."""
    found = kept(trials.cache / "groups" / f"{trials.plan.key(network, number)}.json",
                 lambda: asdict(_group(trials, network, number)))  # fmt: skip
    return Group(**{
        **found,
        "settings": tuple(found["settings"]),
        "candidates": tuple(_written(one) for one in found["candidates"]),
        "followed": tuple(_written(one) for one in found["followed"]),
        "dev_losses": tuple(map(tuple, found["dev_losses"])),
    })  # fmt: skip


def kept(path: Path, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """What is in a file of JSON, made if it is not there."""
    if not path.is_file():
        found = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, json.dumps(found).encode())
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return known


def hashed(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:10]


def group_seed(network: str, number: int) -> int:
    """Of a group: its packages and its settings."""
    return seed_of(list(NETWORKS).index(network), number)


def write_all(network: Network, pairs: Pairs, vocabulary: Vocabulary, training: Training, step: int) -> tuple[str, ...]:
    """One text for each pair."""
    source = padded(Numbers.of(pairs, vocabulary, training).sources)
    rows = write(network, source, training.target_tokens, training.temperature, seed_of(training.seed, step))
    return tuple(map(vocabulary.text, rows))


def scored(metric: str, texts: Sequence[Sequence[str]], pairs: Pairs) -> np.ndarray:
    """Of the texts (k, n) of checkpoints for n pairs. A text in which the metric sees no words shares none: 0."""
    batch = Batch([text for row in texts for text in row], [[pair.target] for pair in pairs] * len(texts))
    return np.nan_to_num(known_metrics().metrics[metric].score(batch)).reshape(len(texts), len(pairs))


def _group(trials: Trials, network: str, number: int) -> Group:
    plan = trials.plan
    generator = np.random.default_rng([group_seed(network, number), 1])
    every = [draw(network, plan.training(plan.checkpoints), generator) for _ in range(plan.settings)]
    parts = trials.material(network, number)
    began = time.process_time()
    tried = [_tried(training, parts, trials, follow=which == 0) for which, training in enumerate(every)]
    group = Group(
        network=network,
        number=number,
        settings=tuple({name: getattr(of, name) for name in ("rate", "width", "dropout", "batch")} for of in every),
        candidates=tuple(one.candidate for one in tried),
        followed=tried[0].followed,
        dev_losses=tuple(one.dev_losses for one in tried),
        cpu=time.process_time() - began,
    )
    losses = ", ".join(f"{one.dev_loss:.2f}" for one in group.candidates)
    trials.say(f"{network}, group {number} of {plan.groups}: dev losses {losses}; {group.cpu:.0f} s")
    return group


@dataclass(frozen=True, slots=True)
class _Tried:
    candidate: Written
    followed: tuple[Written, ...]
    dev_losses: tuple[float, ...]


def _tried(training: Training, parts: Split, trials: Trials, *, follow: bool) -> _Tried:
    """One training; `dev_losses`: of every checkpoint that may be the candidate."""
    plan, vocabulary = trials.plan, trials.parts()[1]
    train, dev = (Numbers.of(pairs, vocabulary, training) for pairs in (parts.train, parts.dev))
    apart = plan.checkpoints // plan.chosen_from
    (judged, few_judged), (_, few_unseen) = plan.judged, plan.unseen
    everything = (parts.written[:judged], parts.written[judged:])
    few = (parts.written[:few_judged], parts.written[judged:][:few_unseen])
    raw, losses, best, step = [], [], {}, 0
    for at, taken in enumerate(trained(training, train, vocabulary.size), start=1):
        network = taken.network
        if not follow and at % apart:
            continue
        loss = dev_loss(network, dev)
        if follow:
            raw.append(_raw(network, *few, vocabulary, training, taken.step, loss))
        if at % apart == 0:
            losses.append(loss)
            if loss <= min(losses):
                best = {name: of.clone() for name, of in network.state_dict().items()}
                step = taken.step
    network.load_state_dict(best)
    (candidate,) = _scored([_raw(network, *everything, vocabulary, training, step, min(losses))], *everything)
    return _Tried(candidate, tuple(_scored(raw, *few)), tuple(losses))


_Raw = tuple[int, float, float, tuple[str, ...]]


def _raw(
    network: Network, judged: Pairs, unseen: Pairs, vocabulary: Vocabulary, training: Training, step: int, loss: float
) -> _Raw:
    """Step, dev loss, loss on the unseen pairs, and texts for all."""
    texts = write_all(network, [*judged, *unseen], vocabulary, training, step)
    return step, loss, dev_loss(network, Numbers.of(unseen, vocabulary, training)), texts


def _scored(raw: Sequence[_Raw], judged: Pairs, unseen: Pairs) -> list[Written]:
    if not raw:
        return []
    bleu = scored(BLEU, [texts[: len(judged)] for *_, texts in raw], judged)
    by = {metric: scored(metric, [texts[len(judged) :] for *_, texts in raw], unseen).mean(1)
          for metric in TRUTHS if metric != LOSS}  # fmt: skip
    return [
        Written(step, loss, texts[: len(judged)], float(bleu[k].mean()),
                {LOSS: -unseen_loss, **{metric: float(values[k]) for metric, values in by.items()}})
        for k, (step, loss, unseen_loss, texts) in enumerate(raw)
    ]  # fmt: skip


def _written(found: Mapping[str, Any]) -> Written:
    return Written(**{**found, "texts": tuple(found["texts"])})
