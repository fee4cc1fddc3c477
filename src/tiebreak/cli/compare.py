"""`tiebreak compare`: the main job."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def compare_command(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Folder with the study's tables.", show_default=False)],
    method: Annotated[
        str, typer.Option(metavar="NAME", help="anytime | sign | hoeffding | dirichlet | posterior.")
    ] = "anytime",
    alpha: Annotated[
        float, typer.Option(metavar="NUMBER", help="Chance of any wrong verdict (Hoeffding's d, Dirichlet's gamma).")
    ] = 0.05,
    tie_threshold: Annotated[
        float, typer.Option(metavar="NUMBER", help="Ratings this close or closer are a tie.")
    ] = 0.0,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Smallest difference that matters; without it nothing is called equivalent.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str, typer.Option(metavar="NAME", help="inputs (inputs like these) | items (these items only).")
    ] = "inputs",
    criterion: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this criterion; repeatable.", show_default=False)
    ] = None,
    labels: Annotated[
        str, typer.Option(metavar="NAME", help="Several labels on an item: mean | majority | first (earliest).")
    ] = "mean",
    annotators: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Only these people, such as 'expert_*'; repeatable.", show_default=False),
    ] = None,
    multiplicity: Annotated[
        str, typer.Option(metavar="NAME", help="Many pairs: holm | bonferroni | fdr (e-BH) | none.")
    ] = "holm",
    systems: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Only these systems.", show_default=False)
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Only pairs with this system.", show_default=False)
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", help="Of the random order of items; fix it before looking.")
    ] = 0,
    metric: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Use this metric too (or: all); repeatable.", show_default=False),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Use this judge too (or: all); repeatable.", show_default=False),
    ] = None,
    metric_tie_threshold: Annotated[
        float, typer.Option(metavar="NUMBER", help="Metric scores this close or closer are a tie.")
    ] = 0.0,
    human: Annotated[
        bool, typer.Option("--human/--no-human", help="Without human labels: what not to do, for comparison.")
    ] = True,
    against: Annotated[
        Path | None,
        typer.Option(metavar="RESULT.json", help="Count errors against a saved --json.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the table: .csv, .tex or .md.", show_default=False),
    ] = None,
) -> None:
    """Decide which system is better, for every pair, from human labels.

    Per pair: a verdict in words, the difference P(A preferred) - P(B preferred) with an interval that holds at every
    look, the labels used, where one could have stopped, or about how many more are needed.

    Example: tiebreak compare my-study --margin 0.1 --out verdicts.md
    """
    from tiebreak.analysis.against import evaluate_against, load_result
    from tiebreak.analysis.compare import compare
    from tiebreak.cli.options import names
    from tiebreak.cli.show_against import show_against
    from tiebreak.cli.show_comparison import show_comparison
    from tiebreak.data.readers import read_study
    from tiebreak.report.tables import refuse_inside, write_table, writer_for

    if out is not None:
        writer_for(out)
        refuse_inside(study, out)
    reference = None if against is None else load_result(against)
    result = compare(
        read_study(study),
        method=method,
        alpha=alpha,
        tie_threshold=tie_threshold,
        margin=margin,
        target=target,  # type: ignore[arg-type]  # checked by CompareSettings
        criteria=criterion or None,
        labels=labels,  # type: ignore[arg-type]
        annotators=annotators or None,
        multiplicity=multiplicity,  # type: ignore[arg-type]
        systems=names(systems),
        baseline=baseline,
        seed=seed,
        metrics=metric or (),
        judges=judge or (),
        metric_tie_threshold=metric_tie_threshold,
        human=human,
    )
    if out is not None:
        write_table(result, out)
        sys.stderr.write(f"Wrote {out}\n")
    comparison = None if reference is None else evaluate_against(result, reference, reference_name=str(against))
    if as_json:
        document = result.to_dict() | ({} if comparison is None else {"against": comparison.to_dict()})
        sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
        return
    show_comparison(result)
    if comparison is not None:
        show_against(comparison)
