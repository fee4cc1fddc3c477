"""Whether our metrics give the scores that came with real studies: prints Markdown; `--write` saves it.

    python benchmarks/score_agreement.py [--data FOLDER] [--write]

Some minutes of one processor. Fails where a score differs by more than its file was rounded by.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import polars as pl  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import REAL_STUDIES, show, table  # noqa: E402

import tiebreak  # noqa: E402
from tiebreak.results.numbers import interval, number  # noqa: E402

INTRO = """# Do scores agree with those that came with the data?

Two public studies came with scores of BLEU, chrF and ROUGE. This page computes them again from the texts, by
`tiebreak score`, and shows the largest difference. Made by `python benchmarks/score_agreement.py --write`, which fails
where one is more than the rounding of the file.

"""

NOTES = """

The differences are those of rounding in the files. Their ROUGE is that of rouge-score with stems, and their BLEU and
chrF are sacrebleu's for single texts with its defaults. Such settings are seldom told, and others fit much worse:
ROUGE-L without stems differs by up to 0.07. Our `rouge1` takes the best of several references, as rouge-score does; the
mean over eleven is that of eleven runs.
"""

SOURCE = """
## References or the source

A summary can be held against other summaries or against the text that it is about. Pearson's correlations with the
mean rating of three experts, with 95% intervals by jackknife over articles; 16 systems, 100 articles, 11 references.
Against the source F1 suffers from the length of the source; precision is the share of the summary's words that stand in
the source in this order.

"""

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


def agreement(study: tiebreak.Study, case: Case) -> list[str]:
    """A row of the table.

    Raises:
        SystemExit: a score is another one.
    """
    assert study.scores is not None
    theirs = study.scores.filter(pl.col("metric") == case.theirs).select(*KEY, theirs="value")
    mine, signature = ours(study, case)
    both = theirs.join(mine, on=KEY, how="left")
    missing = both["value"].null_count()
    largest = float((both["value"] - both["theirs"]).abs().max() or 0.0)  # type: ignore[arg-type]
    if missing or largest > case.rounding * 1.01:
        raise SystemExit(f"{case}: {missing} scores are missing, and the largest difference is {largest:g}")
    shown = f"{largest:.1g}" if largest else "0"
    return [
        case.study,
        f"`{case.theirs}`",
        f"`{signature}`".replace("|", "\\|"),
        case.references,
        f"{both.height:,}",
        shown,
    ]


def sources(data: Path) -> str:
    """The table of correlations by what outputs are held against."""
    study = tiebreak.read_study(data / "summeval").select(annotators=["expert_*"])
    study = replace(study, scores=None)
    rows = []
    for metric in ("rougeL", "rougeL-precision", "chrf"):
        found = {
            (one.criterion, source): one.correlations
            for source in ("reference", "input")
            for one in tiebreak.score(study, [metric], reference_from=source).correlations  # type: ignore[arg-type]
        }
        for criterion in study.criteria:
            for source in ("reference", "input"):
                of = found[criterion, source]
                cells = [
                    f"{number(one.estimate or 0)} {interval(one.low or 0, one.high or 0)}"
                    for one in (of.within, of.instances, of.systems)
                ]
                rows.append([f"`{metric}`", str(criterion), source, *cells])
    return table(("metric", "criterion", "held against", "within systems", "over outputs", "between systems"), rows)


def page(data: Path) -> str:
    """The whole page."""
    studies = {name: tiebreak.read_study(data / name) for name in dict.fromkeys(case.study for case in CASES)}
    rows = [agreement(studies[case.study], case) for case in CASES]
    head = ("study", "its name of the scores", "our signature", "references", "outputs", "largest difference")
    return INTRO + table(head, rows) + NOTES + SOURCE + sources(data) + "\n"


def main() -> None:
    """Print the page, and save it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save docs/score_agreement.md")
    options = parser.parse_args()
    show(page(options.data), "score_agreement.md", options.write)


if __name__ == "__main__":
    main()
