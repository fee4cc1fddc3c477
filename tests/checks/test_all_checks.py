"""Every warning is raised by a study made for it, none by a clean one, and the real studies get what they deserve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from tests.small_studies import Row, vote

from tiebreak.checks import data_warnings
from tiebreak.checks.all_checks import ABOUT_LABELS, ABOUT_PEOPLE
from tiebreak.checks.labels import WithinGroups, two_sided, within_groups
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.records import LabelRule, Notice

SYSTEMS = ("ash", "birch", "cedar")


class Tables:
    """A clean study as lists of rows, to be spoilt: 3 systems, 300 items, 8 annotators, two labels a question."""

    def __init__(self, seed: int, items: int = 300) -> None:
        rng = np.random.default_rng(seed)
        names = [f"i{k:04}" for k in range(items)]
        self.items: list[Row] = [{"item": name, "input": f"question {name}"} for name in names]
        words = rng.integers(5, 30, size=(items, 3))
        self.outputs: list[Row] = [
            {"item": name, "system": system, "text": f"{system} on {name}" + " word" * int(words[k, s])}
            for k, name in enumerate(names)
            for s, system in enumerate(SYSTEMS)
        ]
        quality = np.array([0.0, 0.5, 1.0]) + rng.normal(0, 0.7, size=(items, 3))
        self.preferences: list[Row] = []
        for k, name in enumerate(names):
            for a, b in ((0, 1), (0, 2), (1, 2)):
                for person in rng.choice(8, 2, replace=False):
                    liked = quality[k, a] - quality[k, b] + rng.normal()
                    outcome = "tie" if abs(liked) < 0.35 else "a" if liked > 0 else "b"
                    left = SYSTEMS[a] if rng.random() < 0.5 else SYSTEMS[b]
                    row = vote(name, SYSTEMS[a], SYSTEMS[b], f"w{person}", outcome)
                    self.preferences.append(row | {"left": left})

    def study(self) -> Study:
        return Study.from_tables(outputs=self.outputs, items=self.items, preferences=self.preferences)


def found(study: Study, rule: LabelRule = "mean") -> dict[str, Notice]:
    notices = data_warnings(study, study_evidence(study, study.criteria, EvidenceSettings(label_rule=rule)), rule)
    assert all(notice.text.endswith(".") for notice in notices)
    return {notice.code: notice for notice in notices}


def always_left(tables: Tables) -> None:
    for row in tables.preferences:
        row["left"] = row["system_a"]


def left_in_one_pair(tables: Tables) -> None:
    for row in tables.preferences:
        if (row["system_a"], row["system_b"]) == ("ash", "cedar"):
            row["left"] = "cedar"


def annotators_choose_left(tables: Tables) -> None:
    # A quarter of the answers is "left": from half to 62% or so.
    rng = np.random.default_rng(1)
    for row in tables.preferences:
        if rng.random() < 0.25:
            row["outcome"] = "a" if row["left"] == row["system_a"] else "b"


def documents(tables: Tables) -> None:
    # Ten items in a row share a document, in which one of the systems does better.
    rng = np.random.default_rng(2)
    favoured = rng.choice(["a", "b"], size=(30, 3))
    pairs = {("ash", "birch"): 0, ("ash", "cedar"): 1, ("birch", "cedar"): 2}
    for row in tables.preferences:
        if rng.random() < 0.5:
            document = int(str(row["item"])[1:]) // 10
            row["outcome"] = str(favoured[document, pairs[str(row["system_a"]), str(row["system_b"])]])


def longer_is_better(tables: Tables) -> None:
    length = {(row["item"], row["system"]): len(str(row["text"])) for row in tables.outputs}
    rng = np.random.default_rng(4)
    for row in tables.preferences:
        gap = length[row["item"], row["system_a"]] - length[row["item"], row["system_b"]]
        if rng.random() < 0.6 and gap:
            row["outcome"] = "a" if gap > 0 else "b"


def shorter_is_better(tables: Tables) -> None:
    longer_is_better(tables)
    for row in tables.preferences:
        row["outcome"] = {"a": "b", "b": "a", "tie": "tie"}[str(row["outcome"])]


def copied_file(tables: Tables) -> None:
    ash = {row["item"]: row["text"] for row in tables.outputs if row["system"] == "ash"}
    for row in tables.outputs:
        if row["system"] == "birch" and str(row["item"]) < "i0100":
            row["text"] = ash[row["item"]]


def blank_output(tables: Tables) -> None:
    tables.outputs[1]["text"] = " \u200b\u00a0\n"


def shared_inputs(tables: Tables) -> None:
    for row in tables.items:
        row["input"] = "Summarise:"


def copied_labels(tables: Tables) -> None:
    """Two people label all items of a pair, and one of them has the other's answers."""
    rows = [{**row, "annotator": "original"} for row in tables.preferences[::6]]
    tables.preferences += rows + [{**row, "annotator": "copy"} for row in rows]


def repeated_inputs(tables: Tables) -> None:
    for place in range(0, 20, 2):
        tables.items[place]["input"] = tables.items[place + 1]["input"]


SPOILT: list[tuple[str, Callable[[Tables], None]]] = [
    ("positions", always_left),
    ("positions", left_in_one_pair),
    ("positions", annotators_choose_left),
    ("items-belong-together", documents),
    ("length-explains-preference", longer_is_better),
    ("length-explains-preference", shorter_is_better),
    ("odd-outputs", copied_file),
    ("odd-outputs", blank_output),
    ("items-belong-together", shared_inputs),
    ("items-belong-together", repeated_inputs),
    ("copied-answers", copied_labels),
]


@pytest.mark.parametrize(("code", "spoil"), SPOILT, ids=[spoil.__name__ for _, spoil in SPOILT])
def test_each_warning_is_raised_by_the_study_made_for_it(code: str, spoil: Callable[[Tables], None]) -> None:
    tables = Tables(seed=11)
    spoil(tables)
    assert code in found(tables.study())


def test_every_code_has_a_study_that_raises_it() -> None:
    elsewhere = {"labels-left-out", "unreliable-annotators", "outlying-ratings", "unlike-scores"}
    checked = {check.kind.code for check in (*ABOUT_PEOPLE, *ABOUT_LABELS)}
    assert {code for code, _ in SPOILT} | elsewhere == checked


def test_a_clean_study_raises_nothing() -> None:
    study = Tables(seed=11).study()
    assert found(study) == {}
    assert found(study, "majority") == {}


def test_clean_studies_hardly_ever_raise_anything() -> None:
    # At p < 1e-4 and fewer than ten tests a study, 100 studies expect 0.1 alarms by chance even without the size rule.
    codes = [code for seed in range(100) for code in found(Tables(seed, items=80).study())]
    assert all(codes.count(code) < 2 for code in set(codes)), codes
    assert len(codes) <= 1, codes


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("naturalness-v1", {"unreliable-annotators"}),
        ("naturalness-v2", {"unreliable-annotators"}),
        ("summeval", {"odd-outputs", "labels-left-out"}),
        ("wmt21-en-de", {"items-belong-together", "odd-outputs"}),
        ("llmfao", {"unreliable-annotators", "odd-outputs"}),
        ("pandalm", {"items-belong-together", "length-explains-preference", "odd-outputs"}),
    ],
)
def test_what_the_real_studies_raise(real_studies: Path, name: str, codes: set[str]) -> None:
    study = read_study(real_studies / name)
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    notices = data_warnings(study, evidence, metrics=("all",))
    assert {notice.code for notice in notices} == codes


def test_neighbours_in_the_translations_correlate_as_published(real_studies: Path) -> None:
    notice = found(read_study(real_studies / "wmt21-en-de"))["items-belong-together"]
    assert notice.details["correlation"] == pytest.approx(0.22, abs=0.02)


def test_a_cluster_column_silences_the_warning_about_neighbours() -> None:
    tables = Tables(seed=11)
    documents(tables)
    for row in tables.items:
        row["cluster"] = f"d{int(str(row['item'])[1:]) // 10}"
    assert "items-belong-together" not in found(tables.study())


def test_neighbours_follow_the_items_table_not_the_names() -> None:
    tables = Tables(seed=11)
    documents(tables)
    order = np.random.default_rng(5).permutation(len(tables.items))
    tables.items = [tables.items[k] for k in order]
    assert "items-belong-together" not in found(tables.study())


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (annotators_choose_left, "positions"),
        (documents, "items-belong-together"),
        (longer_is_better, "length-explains-preference"),
        (left_in_one_pair, "positions"),
    ],
)
def test_which_system_is_called_a_does_not_matter(spoil: Callable[[Tables], None], code: str) -> None:
    tables = Tables(seed=11)
    spoil(tables)
    before = found(tables.study())
    for row in tables.preferences:
        row["system_a"], row["system_b"] = row["system_b"], row["system_a"]
        row["outcome"] = {"a": "b", "b": "a", "tie": "tie"}[str(row["outcome"])]
    assert found(tables.study())[code].text == before[code].text


def test_a_better_system_with_longer_texts_is_no_preference_for_length() -> None:
    # Between pairs length and quality go together; within a pair they do not.
    tables = Tables(seed=11)
    for row in tables.outputs:
        row["text"] = str(row["text"]) + " more" * {"ash": 0, "birch": 40, "cedar": 80}[str(row["system"])]
    assert found(tables.study()) == {}


def test_position_bias_is_not_read_off_a_better_system_that_is_always_left() -> None:
    tables = Tables(seed=11)
    for row in tables.preferences:
        row["left"] = row["system_b"]  # cedar, the best, is always system_b
    assert set(found(tables.study())) == {"positions"}


def test_labels_on_other_criteria_are_ignored() -> None:
    tables = Tables(seed=11)
    for row in tables.preferences:
        row["criterion"] = "style"
    tables.preferences += [{**row, "criterion": "fluency", "left": row["system_a"]} for row in tables.preferences]
    study = tables.study()
    assert data_warnings(study, study_evidence(study, ["style"], EvidenceSettings())) == ()
    notices = data_warnings(study, study_evidence(study, ["fluency"], EvidenceSettings()))
    assert [notice.code for notice in notices] == ["positions"]


def test_association_by_hand() -> None:
    # Two groups of ten rows. Within each, x is -1 or 1 (five each) and y equals x but for one row of each sign, so
    # that sum(xy) = 8 - 2 = 6 and sum(x^2) = sum(y^2) = 10 in each: slope and correlation .6.
    x = np.tile([1.0] * 5 + [-1.0] * 5, 2)
    y = x.copy()
    y[[0, 5, 10, 15]] *= -1
    result = within_groups(x, y + np.repeat([0.0, 3.0], 10), np.repeat([0, 1], 10), np.arange(20))
    assert result is not None
    assert result.slope == pytest.approx(0.6)
    assert result.correlation == pytest.approx(0.6)
    assert result.clusters == 20
    # The 20 products are 16 times 1 and 4 times -1: z = 12/sqrt(20) = 2.683, p = .0073.
    assert result.p_value == pytest.approx(0.00729, abs=1e-5)
    # In ten clusters of two equal products or one of each sign the evidence is weaker.
    assert within_groups(x[:9], y[:9], np.zeros(9, dtype=np.intp), np.arange(9)) is None
    assert within_groups(np.ones(20), y, np.repeat([0, 1], 10), np.arange(20)) is None


def test_an_association_of_groups_that_come_one_by_one_is_that_of_all() -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), rng.integers(5, 40, 12))
    clusters = rng.integers(0, 50, groups.size)
    x, y = rng.normal(size=groups.size) + groups, rng.normal(size=groups.size)
    together = WithinGroups(50)
    for group in range(12):
        own = groups == group
        together.add(x[own], y[own], np.zeros(int(own.sum()), dtype=np.intp), clusters[own])
    found, wanted = together.association(), within_groups(x, y, groups, clusters)
    assert found is not None
    assert wanted is not None
    assert asdict(found) == pytest.approx(asdict(wanted))


def test_association_counts_clusters_not_rows() -> None:
    rng = np.random.default_rng(7)
    below = 0
    for _ in range(400):
        # Ten identical rows an item: a test over rows would reject nearly always.
        x, y = rng.choice([-1.0, 1.0], size=(2, 60))
        rows = np.repeat(np.arange(60), 10)
        result = within_groups(x[rows], y[rows], np.zeros(600, dtype=np.intp), rows)
        assert result is not None
        below += result.p_value < 0.05
    assert 5 <= below <= 38  # 5% of 400 is 20, sd 4.4


def test_no_variation_is_no_evidence() -> None:
    assert two_sided(np.zeros(5)) == 1.0
