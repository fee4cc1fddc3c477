"""Whether our metrics give the scores that came with real studies: writes benchmarks/results/score_agreement.csv.

python benchmarks/score_agreement.py [--data FOLDER] [--write]

Some minutes of one processor. Exit status 1 where a score differs by more than its file was rounded by. Their ROUGE is
that of rouge-score with stems; their BLEU and chrF are sacrebleu's for single texts with its defaults.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import polars as pl  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.results import Value, machine, parser, write_rows  # noqa: E402

import tiebreak  # noqa: E402

HEADER = ("study", "scores", "signature", "references", "outputs", "largest difference")
KEY = ("item", "system")


@dataclass(frozen=True)
class Case:
    """One metric of a study: what the study calls it, the references that it was made with, and how it was rounded."""

    study: str
    theirs: str
    ours: str
    references: str
    rounding: float


CASES = (
    Case("summeval", "bleu_11refs", "bleu", "all 11", 5e-5),
    Case("summeval", "chrf_11refs", "chrf", "all 11", 5e-5),
    Case("summeval", "rougeL_first_ref", "rougeL", "the first", 5e-7),
    Case("summeval", "rougeL_max11", "rougeL", "all 11, the best", 5e-7),
    Case("summeval", "rouge1_mean11", "rouge1", "each of 11, their mean", 5e-7),
    Case("summeval", "words", "length", "-", 0.0),
    Case("wmt21-en-de", "bleu_refA", "bleu", "A", 5e-4),
    Case("wmt21-en-de", "bleu_refC", "bleu", "C", 5e-4),
    Case("wmt21-en-de", "chrf_refA", "chrf", "A", 5e-4),
    Case("wmt21-en-de", "chrf_refC", "chrf", "C", 5e-4),
)


def with_references(study: tiebreak.Study, which: Sequence[int] | str | None) -> tiebreak.Study:
    """The study with some of its references: by number, by name, or all of them."""
    if which is None or study.items is None:
        return study
    of = pl.col("references")
    chosen = of.struct.field(which) if isinstance(which, str) else of.list.gather(list(which))
    return replace(study, items=study.items.with_columns(references=chosen))


def ours(study: tiebreak.Study, case: Case) -> tuple[pl.DataFrame, str]:
    """Item, system and value of every output, and the signature."""
    bare = replace(study, scores=None, ratings=None, preferences=None, judge_preferences=None)
    if case.references.startswith("each"):
        found = [tiebreak.score(with_references(bare, [k]), [case.ours]) for k in range(11)]
        together = pl.concat([one.scores for one in found]).group_by(KEY).agg(pl.col("value").mean())
        return together, found[0].metrics[0].signature
    which: Sequence[int] | str | None = None
    if case.references in ("A", "C"):
        which = case.references
    elif case.references == "the first":
        which = [0]
    result = tiebreak.score(with_references(bare, which), [case.ours])
    return result.scores.select(*KEY, "value"), result.metrics[0].signature


def agreement(study: tiebreak.Study, case: Case) -> tuple[Value, ...]:
    """The row of a case.

    Raises:
        SystemExit: a score is another one.
    """
    if study.scores is None:
        raise SystemExit(f"{study.name} has no scores")
    theirs = study.scores.filter(pl.col("metric") == case.theirs).select(*KEY, theirs="value")
    mine, signature = ours(study, case)
    both = theirs.join(mine, on=KEY, how="left")
    missing = both["value"].null_count()
    largest = float((both["value"] - both["theirs"]).abs().max() or 0.0)  # type: ignore[arg-type]
    if missing or largest > case.rounding * 1.01:
        raise SystemExit(f"{case}: {missing} scores are missing, and the largest difference is {largest:g}")
    return case.study, case.theirs, signature, case.references, both.height, float(f"{largest:.1g}")


def rows(data: Path) -> Iterator[tuple[Value, ...]]:
    """One row for each case whose study is there."""
    there = [case for case in CASES if (data / case.study).is_dir()]
    studies = {name: tiebreak.read_study(data / name) for name in dict.fromkeys(case.study for case in there)}
    for case in there:
        yield agreement(studies[case.study], case)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = parser(__doc__, "benchmarks/results/score_agreement.csv").parse_args(arguments)
    folder = options.results if options.write else options.cache / "results"
    command = "python benchmarks/score_agreement.py --write"
    print(write_rows("score_agreement", HEADER, rows(options.data), command, machine("sacrebleu"), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
