"""What the experiment on the order of checkpoints is made of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.papers.testbed.training import Training

from tiebreak.scoring import evaluator
from tiebreak.scoring.evaluator.settings import TrainSettings

RATES = {"recurrent": 0.008, "convolutional": 0.006, "transformer": 0.006}
"""Set by hand after two or three short trainings of each, by their dev loss; nothing was searched."""


_THAT_WRITE = ("texts.py", "studies.py", "training.py")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Tokens of a source and of a target, as the networks count them, and of both as the evaluator does."""

    source: int
    target: int
    context: int
    text: int


LENGTHS = Lengths(40, 20, 48, 24)


@dataclass(frozen=True, slots=True)
class Design:
    """`learned`, `judged`: items for which every checkpoint writes, for the evaluator to learn from, and to be judged
    by it; `steps` of the networks; `per_item`: checkpoints whose texts for an item are learned from; `contexts`: items
    that the evaluator sees in one step, `rounds` over all of them in each of two stages; `encoder`: of the evaluator.
    """

    steps: int = 800
    learned: int = 400
    judged: int = 200
    dev: int = 400
    vocabulary: int = 3000
    per_item: int = 4
    contexts: int = 4
    rounds: float = 0.4
    encoder: str = TrainSettings().encoder

    def training(self, network: str, seed: int) -> Training:
        """Of a network, whose seed says too which items are learned from and which are written for."""
        return Training(
            network=network, seed=seed, steps=self.steps, rate=RATES[network], temperature=0.7,
            source_tokens=LENGTHS.source, target_tokens=LENGTHS.target,
        )  # fmt: skip

    def evaluator(self, seed: int) -> TrainSettings:
        """Strong and weak supervision alone. Nothing is held out: what it is measured on are other items by a network
        that it has not seen.
        """
        return TrainSettings(
            encoder=self.encoder, human=False, held_out=0.0, rounds=self.rounds, contexts_at_once=self.contexts,
            context_tokens=LENGTHS.context, text_tokens=LENGTHS.text, seed=seed,
        )  # fmt: skip

    def key_of_run(self, network: str, seed: int) -> str:
        """Names what a network wrote, and changes with whatever that depends on."""
        sizes = (self.learned, self.judged, self.dev, self.vocabulary, self.per_item)
        code = code_of(Path(__file__).parent, "networks/*.py", *_THAT_WRITE)
        return f"{network}-{seed}-{_hash(sizes, asdict(self.training(network, seed)), code)}"

    def key_of_order(self, held_out: str, seed: int) -> str:
        """Names an evaluator that has not seen this network, and what it found."""
        others = [self.key_of_run(network, seed) for network in RATES]
        code = code_of(Path(evaluator.__file__).parent, "examples/*.py", "models/*.py", "training/*.py", "settings.py")
        return f"without-{held_out}-{seed}-{_hash(others, asdict(self.evaluator(seed)), code)}"


def code_of(folder: Path, *patterns: str) -> list[str]:
    """Hashes of files: what was made by other code is made again."""
    files = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:10]
