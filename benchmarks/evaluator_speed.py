"""How many pairs an evaluator judges per second: prints Markdown; `--write` saves docs/evaluator_speed.md.

    python benchmarks/evaluator_speed.py [--quick] [--write]

Eight minutes of one processor; with a GPU that torch sees, on that instead.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import torch  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import machine, show, table  # noqa: E402

from tiebreak.scoring.evaluator.models.comparer import Comparer  # noqa: E402
from tiebreak.scoring.evaluator.models.encoders import Tokens, load_encoder, positions_of  # noqa: E402
from tiebreak.scoring.evaluator.training.kept import make_model  # noqa: E402
from tiebreak.scoring.evaluator.training.measured import AT_ONCE  # noqa: E402
from tiebreak.scoring.evaluator.training.settings import TrainSettings  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ENCODER = TrainSettings().encoder
TEXTS_OF_CONTEXT = 16
MANY = 1415
"""Texts of one context that make a million pairs."""
REPEATS = 3

PAGE = """# Speed of evaluators

Pairs that an [evaluator](evaluator.md) judges per second, beside the plain loop: one pair after the other through a
sequence classifier of transformers with the same encoder, context and both texts in one sequence, in both orders.
{texts} texts for each context, which is as long as a text; all pairs of them are judged. Token numbers are made up
(seed 1), and reading text into tokens is not timed. Encoder: all-MiniLM-L6-v2, with a head that nothing was learned
by: the time is the same. Each rate is the middle one of {repeats}, with the least and the most. Made by
`python benchmarks/evaluator_speed.py --write` in {minutes:.0f} minutes of one processor.

{where}

{table}

`siamese` reads each text and each context once, whatever the number of pairs; `cross` and the loop read each pair
twice, and are bound by what the encoder computes: batches gain little on a processor. Of {texts} texts there are
{pairs} pairs, so that `siamese` reads a text for every 7.5 pairs. *A million pairs of one context*: {many:,} texts for
one context, all of their {million:,} pairs, timed whole. A context and two texts of 41 tokens make one sequence
of 127 with its marks.
"""


def made_tokens(
    each: int, contexts: int, longest: int, generator: np.random.Generator, of_context: int = TEXTS_OF_CONTEXT
) -> tuple[Tokens, Any]:
    def ids(count: int) -> list[int]:
        return generator.integers(1000, 20000, count).tolist()

    texts = tuple(ids(each) for _ in range(contexts * of_context))
    tokens = Tokens(texts=texts, contexts=tuple(ids(each) for _ in range(contexts)), first=101, end=102, padding=0,
                    longest=longest)  # fmt: skip
    return tokens, np.repeat(np.arange(contexts), of_context)


def all_pairs(contexts: int) -> tuple[Any, Any]:
    first, second = np.triu_indices(TEXTS_OF_CONTEXT, 1)
    starts = np.arange(contexts)[:, None] * TEXTS_OF_CONTEXT
    return (starts + first).ravel(), (starts + second).ravel()


def rate_of(model: Comparer, tokens: Tokens, context: Any, pairs: tuple[Any, Any]) -> float:
    a, b = pairs

    def judge() -> None:
        model.probabilities(tokens, context, a, b, AT_ONCE)

    return a.size / seconds(judge)


def time_of_a_million(model: Comparer, each: int, longest: int, texts: int, generator: np.random.Generator) -> float:
    """Seconds for all pairs of so many texts of one context."""
    tokens, _ = made_tokens(each, 1, longest, generator, texts)
    a, b = np.triu_indices(texts, 1)
    context = np.zeros(texts, dtype=np.intp)
    return seconds(lambda: model.probabilities(tokens, context, a, b, AT_ONCE))


def middle(rate: Callable[[], float], form: str = "{:,.1f}") -> tuple[float, str]:
    """The middle of REPEATS rates, and how it is written, with the least and the most."""
    found = sorted(rate() for _ in range(REPEATS))
    least, median, most = (form.format(of) for of in (found[0], found[REPEATS // 2], found[-1]))
    return found[REPEATS // 2], f"{median} ({least} to {most})"


def seconds(judge: Callable[[], None]) -> float:
    """Of the processor; of the clock where a GPU does the work."""
    clock = time.process_time if DEVICE == "cpu" else time.perf_counter
    start = clock()
    with torch.inference_mode():
        judge()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
    return clock() - start


def rate_of_loop(encoder: Any, tokens: Tokens, context: Any, pairs: tuple[Any, Any]) -> float:
    """The sequence classifier, pair by pair."""
    from transformers import BertForSequenceClassification

    model = BertForSequenceClassification(encoder.config).eval().to(DEVICE)
    model.config.num_labels = 3

    def row(about: int, a: int, b: int) -> torch.Tensor:
        ids = [101, *tokens.contexts[about], 102, *tokens.texts[a], 102, *tokens.texts[b], 102]
        return torch.tensor([ids[: tokens.longest]], device=DEVICE)

    def judge() -> None:
        for a, b in zip(*pairs, strict=True):
            for first, second in ((a, b), (b, a)):
                model(row(context[first], first, second)).logits.softmax(1).cpu()

    return len(pairs[0]) / seconds(judge)


def page(quick: bool) -> str:
    start = time.process_time()
    torch.set_num_threads(1)
    generator = np.random.default_rng(1)
    encoder, _ = load_encoder(ENCODER)
    encoder = encoder.to(DEVICE)
    rows = []
    texts = MANY // 10 if quick else MANY
    for each in (32, 41, 64, 128):
        few, many = (1, 2) if quick else (2, 12)
        tokens, context = made_tokens(each, many, positions_of(encoder), generator)
        small = tuple(side[: few * 20] for side in all_pairs(few))
        loop, said_loop = middle(partial(rate_of_loop, encoder, tokens, context, small))
        limits = {"text_tokens": each, "context_tokens": each}
        cross = make_model(encoder, TrainSettings(form="cross", **limits)).to(DEVICE)  # type: ignore[arg-type]
        siamese = make_model(encoder, TrainSettings(**limits)).to(DEVICE)  # type: ignore[arg-type]
        some = tuple(side[: few * 60] for side in all_pairs(few))
        of_cross, said_cross = middle(partial(rate_of, cross, tokens, context, some))
        of_siamese, said_siamese = middle(partial(rate_of, siamese, tokens, context, all_pairs(many)), "{:,.0f}")
        whole = time_of_a_million(siamese, each, positions_of(encoder), texts, generator)
        rows.append(
            [str(each), said_loop, said_cross, f"{of_cross / loop:.1f}", said_siamese, f"{of_siamese / loop:.0f}",
             f"{whole:.0f} s"]
        )  # fmt: skip
    header = ("tokens of a text", "loop", "`cross`", "times the loop", "`siamese`", "times the loop",
              "a million pairs of one context, `siamese`")  # fmt: skip
    where = f"{machine()}; one thread." if DEVICE == "cpu" else f"{machine()}; {torch.cuda.get_device_name()}."
    pairs = TEXTS_OF_CONTEXT * (TEXTS_OF_CONTEXT - 1) // 2
    return PAGE.format(
        texts=TEXTS_OF_CONTEXT, pairs=pairs, where=where, table=table(header, rows), many=texts, repeats=REPEATS,
        million=texts * (texts - 1) // 2, minutes=(time.process_time() - start) / 60,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few texts")
    parser.add_argument("--write", action="store_true", help="save docs/evaluator_speed.md")
    options = parser.parse_args()
    show(page(options.quick), "evaluator_speed.md", options.write)


if __name__ == "__main__":
    main()
