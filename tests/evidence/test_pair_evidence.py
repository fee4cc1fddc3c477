"""The evidence of many pairs: made when it is asked for, never all of it at once, and always the same."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import polars as pl
import pytest
from benchmarks.same_results.made_studies import made_study

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.evidence import study_evidence as module
from tiebreak.evidence.human_labels import PairValues
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.kernels import worst_share


def rated(systems: int, items: int, people: int = 1, missing: float = 0.0, seed: int = 0) -> Study:
    """Every output rated from 1 to 5 by everybody, as far as no rating is missing."""
    rng = np.random.default_rng(seed)
    kept = rng.random((people, systems, items)) >= missing
    person, system, item = np.nonzero(kept)
    quality = rng.normal(0, 0.2, systems)[:, None] + rng.normal(0, 1, items)
    values = np.clip(np.rint(3 + quality + rng.normal(0, 0.8, kept.shape)), 1, 5)
    columns = {"item": ("i", item), "system": ("s", system), "annotator": ("w", person)}
    named = {name: letter + pl.Series(codes).cast(pl.String) for name, (letter, codes) in columns.items()}
    return Study.from_tables(ratings=pl.DataFrame({**named, "criterion": "overall", "value": values[kept]}))


def made(number: int) -> Study:
    """Labels of panels, with metrics; some studies in clusters, some with identical outputs."""
    tables = made_study(
        np.random.default_rng([7, number]),
        4,
        60,
        cluster_size=1 + number % 2,
        identical=0.1 * (number % 3),
        gaps=0.05,
        labelled=0.6,
    )
    return Study.from_tables(
        items=tables.items,
        outputs=tables.outputs,
        preferences=tables.labels,
        scores=tables.scores,
        judge_preferences=tables.judged,
    )


def test_a_comparison_does_not_hold_the_evidence_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    # 435 pairs of 2,000 items. Held, each comparison takes an item, a value and labels of 8 bytes, and more.
    study = rated(30, 2_000)
    monkeypatch.setattr(worst_share, "CHUNK_CELLS", 100_000)
    peaks = []
    for room in (2_000, 10**9):
        monkeypatch.setattr(module, "VALUES_KEPT", room)
        tracemalloc.start()
        (found,) = compare(study).results
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(pair.items for pair in found.pairs) == 435 * 2_000
    assert peaks[1] > 24 * 435 * 2_000
    assert peaks[0] < 12 * 435 * 2_000


@pytest.mark.parametrize("room", [0, 10**9])
def test_evidence_is_made_a_few_times_at_most(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    # To count it, to look for neighbours that are alike, for the orders of what little there is, and for win rates; of
    # one pair also for what its test could have found.
    counts: Counter[tuple[str, str]] = Counter()
    make = module._evidence

    def counted(pair: PairValues, *others: object) -> PairEvidence:
        counts[pair.system_a, pair.system_b] += 1
        return make(pair, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "VALUES_KEPT", room)
    monkeypatch.setattr(module, "_evidence", counted)
    compare(rated(8, 50))
    assert len(counts) == 28
    assert sum(counts.values()) <= (4 * 28 + 1 if room == 0 else 28)


@pytest.mark.parametrize(
    ("study", "settings"),
    [
        (rated(4, 40), {}),
        (rated(4, 40, people=3, missing=0.4), {"several": "majority", "baseline": "s2"}),
        (rated(4, 40, people=3, missing=0.4), {"raters": "any", "target": "items"}),
        (made(0), {"metrics": ("all",), "judges": ("all",)}),
        (made(2), {"metrics": ("all",), "target": "items", "margin": 0.3}),
        (made(5), {"multiplicity": "fdr"}),
        (made(5), {"human": False, "metrics": ("all",)}),
    ],
)
def test_made_anew_is_as_it_was(monkeypatch: pytest.MonkeyPatch, study: Study, settings: dict[str, object]) -> None:
    kept = compare(study, **settings).to_dict()  # type: ignore[arg-type]
    monkeypatch.setattr(module, "VALUES_KEPT", 0)
    assert compare(study, **settings).to_dict() == kept  # type: ignore[arg-type]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("number", range(6))
def test_a_summary_is_that_of_the_arrays(number: int, ordered: bool) -> None:
    for target in ("inputs", "items"):
        evidence = study_evidence(made(number), (None,), EvidenceSettings(target=target, ordered=ordered))  # type: ignore[arg-type]
        assert evidence.items == len({item for pair in evidence.pairs for item in pair.items.tolist()})
        for pair, summary in zip(evidence.pairs, evidence.summaries, strict=True):
            values = pair.sequence.for_a
            assert (summary.wins, summary.ties, summary.losses) == pair.counts
            assert (summary.items, summary.labels) == (pair.items.size, pair.labels.sum())
            assert (summary.units, summary.untied_units) == (values.size, np.count_nonzero(values))
            assert summary.tied_weight == pytest.approx(float(np.sum(1 - values**2)))
            assert summary.clustered == pair.clustered
            assert (summary.drawn is not None) == (pair.drawn is not None)


def test_an_order_changes_no_value() -> None:
    """But for the choice of identical outputs that nobody was asked about, which only an order leaves to chance."""
    for number in range(6):
        for target in ("inputs", "items"):
            both = [
                study_evidence(made(number), (None,), EvidenceSettings(target=target, ordered=ordered)).pairs  # type: ignore[arg-type]
                for ordered in (True, False)
            ]
            for ordered, plain in zip(*both, strict=True):
                found = [
                    sorted(zip(pair.items.tolist(), pair.values.tolist(), pair.labels.tolist(), strict=True))
                    for pair in (ordered, plain)
                ]
                labelled = [[value for value in values if value[2]] for values in found]
                assert labelled[0] == labelled[1]
                assert len(found[0]) == len(found[1])


def test_a_budget_needs_an_order() -> None:
    with pytest.raises(ValueError, match="order"):
        EvidenceSettings(items_per_pair=10, ordered=False)
