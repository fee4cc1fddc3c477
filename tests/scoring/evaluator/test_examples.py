"""Pairs to learn from: counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.data.provenance import item_keys
from tiebreak.data.settings import StudySettings, SystemSettings
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.evaluator.examples.collect import Parts
from tiebreak.scoring.evaluator.examples.corpus import Corpus, fold_of, item_hashes
from tiebreak.scoring.evaluator.examples.rows import Pairs
from tiebreak.scoring.evaluator.examples.sources import Across, almost_converged, human_pairs, strong_pairs, weak_pairs
from tiebreak.scoring.evaluator.settings import TrainSettings


def output(item: str, system: str, text: str, sample: str | None = None) -> dict[str, str | None]:
    return {"item": item, "system": system, "text": text, "sample": sample}


def named(corpus: Corpus, pairs: Pairs) -> list[tuple[str, str, tuple[float, ...]]]:
    """Texts and shares of each pair, so that the better text comes first."""
    rows = []
    for a, b, shares in zip(pairs.a, pairs.b, pairs.shares, strict=True):
        first, second, told = corpus.texts[a], corpus.texts[b], tuple(shares.tolist())
        rows.append((first, second, told) if told[0] >= told[2] else (second, first, told[::-1]))
    return sorted(rows)


def test_references_beat_what_was_generated_and_tie_with_one_another() -> None:
    """Two references and two samples of one system: 4 pairs "better"; with all ties asked for, 1 + 1 ties."""
    study = Study.from_tables(
        items=[{"item": "1", "input": "q", "references": ["r1", "r2"]}],
        outputs=[output("1", "s", "g1", "x"), output("1", "s", "g2", "y")],
    )
    corpus = Corpus.of([study])
    pairs, counts = strong_pairs(corpus, np.random.default_rng(0), ties=1.0)
    assert (counts.decided, counts.reference_ties, counts.sample_ties, counts.lone_references) == (4, 1, 1, 0)
    assert named(corpus, pairs) == [
        ("g1", "g2", (0.0, 1.0, 0.0)),
        ("r1", "g1", (1.0, 0.0, 0.0)), ("r1", "g2", (1.0, 0.0, 0.0)),
        ("r1", "r2", (0.0, 1.0, 0.0)),
        ("r2", "g1", (1.0, 0.0, 0.0)), ("r2", "g2", (1.0, 0.0, 0.0)),
    ]  # fmt: skip


def test_the_mix_of_ties_is_drawn() -> None:
    """1:1:1 in both orders: n decided pairs are n "better" and n "worse", n/2 ties are n "tie"."""
    outputs = [output(str(item), "s", f"g{item} {sample}", str(sample)) for item in range(20) for sample in range(6)]
    items = [{"item": str(item), "references": [f"r{item}"]} for item in range(20)]
    corpus = Corpus.of([Study.from_tables(items=items, outputs=outputs)])
    pairs, counts = strong_pairs(corpus, np.random.default_rng(0), ties=1.0)
    assert (counts.decided, counts.sample_ties, counts.lone_references) == (120, 300, 20)
    ties = int((pairs.better == 0).sum())
    assert (len(pairs) - ties, ties) == (120, 60)
    few, _ = strong_pairs(corpus, np.random.default_rng(0), ties=0.0)
    assert len(few) == 120


def test_ties_alone_teach_nothing_and_few_ties_cost_no_more_than_half_of_the_rest() -> None:
    """Without references there is nothing to be better than; one tie beside 41 decided pairs would leave two."""
    outputs = [output(str(item), "s", f"g{item} {sample}", str(sample)) for item in range(5) for sample in range(3)]
    pairs, counts = strong_pairs(Corpus.of([Study.from_tables(outputs=outputs)]), np.random.default_rng(0))
    assert (len(pairs), counts.sample_ties, counts.used_ties) == (0, 15, 0)

    outputs = [output(str(item), "s", f"g{item}", "x") for item in range(40)] + [output("0", "s", "h", "y")]
    items = [{"item": str(item), "references": [f"r{item}"]} for item in range(40)]
    study = Study.from_tables(items=items, outputs=outputs)
    pairs, counts = strong_pairs(Corpus.of([study]), np.random.default_rng(0))
    assert (counts.decided, counts.used_decided, counts.sample_ties, counts.used_ties) == (41, 21, 1, 1)
    assert len(pairs) == 22


def test_samples_of_two_systems_are_no_tie_and_a_reference_system_is_one_of_people() -> None:
    study = Study.from_tables(
        outputs=[output("1", "ref", "r"), output("1", "s", "g"), output("1", "t", "h"), output("1", "t", "r", "2")],
        settings=StudySettings(systems={"ref": SystemSettings(reference=True)}),
    )
    corpus = Corpus.of([study])
    pairs, counts = strong_pairs(corpus, np.random.default_rng(0))
    assert (counts.decided, counts.reference_ties, counts.sample_ties, counts.identical) == (2, 0, 1, 1)
    assert [row[:2] for row in named(corpus, pairs)] == [("h", "r"), ("r", "g"), ("r", "h")]


def checkpoints(losses: list[float | None]) -> Study:
    systems = {
        f"c{k}": SystemSettings(run="r", step=100 * k, total_steps=100 * len(losses), dev_loss=loss)
        for k, loss in enumerate(losses, start=1)
    }
    outputs = [output("1", name, f"text of {name}") for name in systems]
    return Study.from_tables(outputs=outputs, settings=StudySettings(systems=systems))


def test_later_checkpoints_are_better_but_not_near_ones_nor_two_that_had_converged() -> None:
    """20 checkpoints: steps of 5% are too near; loss within 2% of the best, or after it, has converged."""
    losses: list[float | None] = [4 - 0.2 * k for k in range(15)] + [1.19, 1.18, 1.2, 1.3, 1.4]
    corpus = Corpus.of([checkpoints(losses)])
    pairs, counts = weak_pairs(corpus)
    converged = [False] * 14 + [True] * 6  # 1.2 is within 2% of 1.18
    assert almost_converged(corpus.writers) == converged
    assert counts.near == 19
    assert counts.converged == sum(1 for i in range(14, 20) for j in range(i + 2, 20))
    assert counts.used == len(pairs) == 190 - counts.near - counts.converged
    assert np.all(pairs.margin >= 0.1 - 1e-9)
    steps = np.array([writer.about.step for writer in corpus.writers])[corpus.writer]
    assert np.all(steps[pairs.a] > steps[pairs.b])
    assert np.allclose(pairs.margin, (steps[pairs.a] - steps[pairs.b]) / 2000)


def test_without_losses_nobody_says_who_converged_and_identical_texts_teach_nothing() -> None:
    systems = {f"c{k}": SystemSettings(run="r", step=k) for k in (1, 5, 9)}
    outputs = [output("1", "c1", "x"), output("1", "c5", "x"), output("1", "c9", "y")]
    study = Study.from_tables(outputs=outputs, settings=StudySettings(systems=systems))
    pairs, counts = weak_pairs(Corpus.of([study]))
    assert (counts.runs, counts.without_loss, counts.identical, len(pairs)) == (1, 1, 1, 2)
    assert sorted(pairs.margin.tolist()) == pytest.approx([4 / 9, 8 / 9]), "the last step counts as all of them"


def test_two_systems_of_one_step_are_too_near() -> None:
    systems = {name: SystemSettings(run="r", step=step) for name, step in (("a", 0), ("b", 0), ("c", 4))}
    outputs = [output("1", name, name) for name in systems]
    study = Study.from_tables(outputs=outputs, settings=StudySettings(systems=systems))
    pairs, counts = weak_pairs(Corpus.of([study]))
    assert (counts.near, counts.used, len(pairs)) == (1, 2, 2)
    only = Study.from_tables(outputs=outputs[:2], settings=StudySettings(systems={k: systems[k] for k in "ab"}))
    assert weak_pairs(Corpus.of([only]))[1].near == 1


def test_people_vote_by_preferences_and_by_ratings() -> None:
    votes = [("ann", "a"), ("bo", "tie"), ("cy", "a"), ("di", "b")]
    study = Study.from_tables(
        outputs=[output("1", "s", "x"), output("1", "t", "y"), output("2", "s", "u"), output("2", "t", "v"),
                 output("2", "w", "v")],
        preferences=[
            {"item": "1", "system_a": "t", "system_b": "s", "annotator": name, "outcome": outcome}
            for name, outcome in votes
        ],
        ratings=[
            {"item": "2", "system": system, "annotator": name, "criterion": "c", "value": value}
            for system, name, value in (
                ("s", "ann", 3), ("t", "ann", 2), ("s", "bo", 1), ("t", "bo", 1), ("w", "cy", 5),
            )
        ],
    )  # fmt: skip
    corpus = Corpus.of([study])
    assert named(corpus, human_pairs(corpus, [study])[0]) == [
        ("u", "v", (0.5, 0.5, 0.0)),  # Ann has s higher, Bo a tie
        ("v", "u", (1.0, 0.0, 0.0)),  # of w and s nobody rated both: 5 against the mean of 2
        ("y", "x", (0.5, 0.25, 0.25)),
    ]
    assert len(human_pairs(corpus, [study], criteria=["d"])[0]) == 0


def test_contexts_of_one_text_stay_together_in_every_study_and_templates_do_not() -> None:
    def made(text: str) -> Study:
        items = [{"item": str(k), "input": text.format(k=k)} for k in range(400)]
        return Study.from_tables(items=items, outputs=[output(str(k), "s", f"{k}") for k in range(400)])

    corpus = Corpus.of([made("question {k}"), made("question {k}"), made("Summarise:")])
    held = Parts.of(corpus, TrainSettings(held_out=0.5, seed=3), None).measured
    assert held[:400].tolist() == held[400:800].tolist()
    assert 60 < held[:400].sum() < 140
    assert 60 < held[800:].sum() < 140
    folds = fold_of(corpus, 4, seed=3)
    assert set(folds.tolist()) == {0, 1, 2, 3}
    assert folds[:400].tolist() == folds[400:800].tolist()


def test_an_input_that_a_cluster_names_in_one_study_only_stays_on_one_side() -> None:
    """Its texts are those that are learned in the other."""
    items = [{"item": str(k), "input": f"question {k}", "reference": f"so {k}"} for k in range(40)]
    outputs = [output(str(k), "s", f"text {k}") for k in range(40)]
    plain = Study.from_tables(items=items, outputs=outputs)
    clustered = Study.from_tables(
        items=[{**row, "cluster": f"c{k // 2}"} for k, row in enumerate(items)], outputs=outputs
    )
    corpus = Corpus.of([plain, clustered])
    assert corpus.units[:40] == corpus.units[40:]
    assert corpus.units[0] == corpus.units[1] != corpus.units[2], "and its cluster with it"


def test_inputs_that_share_a_labelled_text_stay_together() -> None:
    """Without words about it a text is the same everywhere: what was learned of "yes" in one item is known in all."""
    labels = [
        {"item": item, "system_a": "a", "system_b": "b", "annotator": "ann", "outcome": "a"} for item in ("1", "2", "5")
    ]
    outputs = [
        output("1", "a", "yes"), output("1", "b", "one"), output("2", "a", "two"), output("2", "b", " yes "),
        output("3", "a", "yes"), output("3", "b", "free"),  # nobody labelled it, but its text has labels elsewhere
        output("4", "a", "free"), output("4", "b", "four"),  # the text that it shares has labels nowhere
        output("5", "a", "five"), output("5", "b", "no"),
    ]  # fmt: skip
    one = Study.from_tables(outputs=outputs, preferences=labels)
    other = Study.from_tables(outputs=[output("x", "a", "five"), output("y", "a", "six")])
    corpus = Corpus.of([one, other])
    of = dict(zip(corpus.items, corpus.units, strict=True))
    assert of[0, "1"] == of[0, "2"] == of[0, "3"]
    assert of[0, "5"] == of[1, "x"], "in every study"
    assert len({of[key] for key in ((0, "1"), (0, "4"), (0, "5"), (1, "y"))}) == 4
    asked = [{"item": item, "input": f"question {item}"} for item in "12345"]
    assert len(set(Corpus.of([Study.from_tables(items=asked, outputs=outputs, preferences=labels)]).units)) == 5, (
        "beside different questions equal texts are different ones"
    )


def test_what_is_left_out_is_counted() -> None:
    outputs = [
        output("1", "a", "same"), output("1", "b", "same"), output("1", "c", "other"),
        output("1", "d", "twice", "x"), output("1", "d", "twice", "y"),
    ]  # fmt: skip
    votes = [("a", "b"), ("b", "a"), ("a", "c"), ("a", "gone")]
    study = Study.from_tables(
        items=[{"item": "1", "references": ["r", "r", "other"]}], outputs=outputs,
        preferences=[
            {"item": "1", "system_a": a, "system_b": b, "annotator": f"p{number}", "outcome": "a"}
            for number, (a, b) in enumerate(votes)
        ],
    )  # fmt: skip
    corpus = Corpus.of([study])
    assert corpus.repeats == 2, "a reference and a sample"
    _, counts = human_pairs(corpus, [study])
    assert (counts.identical, counts.without_text) == (1, 1)
    _, strong = strong_pairs(corpus, np.random.default_rng(0))
    assert (strong.identical, strong.equal_references) == (1, 0), "one output is a reference's text"


def test_hashes_do_not_depend_on_order_form_or_outer_blanks() -> None:
    assert item_keys("é", ()) == item_keys("e\u0301 ", ())
    assert item_keys("", ("a", "b")) == item_keys(" ".strip(), ("b ", "a"))
    study = Study.from_tables(
        outputs=[output("1", "s", "x"), output("1", "t", "y")],
        preferences=[{"item": "1", "system_a": "s", "system_b": "t", "annotator": "ann", "outcome": "a"}],
    )
    corpus = Corpus.of([study])
    pairs, _ = human_pairs(corpus, [study])
    assert item_hashes(corpus, [pairs]) == sorted(item_keys("", ("x", "y")))


def test_a_study_without_outputs_has_nothing_to_read() -> None:
    study = Study.from_tables(
        preferences=[{"item": "1", "system_a": "s", "system_b": "t", "annotator": "ann", "outcome": "a"}]
    )
    with pytest.raises(UsageError, match="no study has outputs"):
        Corpus.of([study])


def rated(rows: list[tuple[str, str, str, str, float]]) -> Study:
    """One output of each system named, `item-system`; rows: item, system, person, criterion, value."""
    known = dict.fromkeys((item, system) for item, system, *_ in rows)
    return Study.from_tables(
        items=[{"item": item, "input": f"about {item}"} for item in dict.fromkeys(item for item, _ in known)],
        outputs=[output(item, system, f"{item}-{system}") for item, system in known],
        ratings=[
            {"item": item, "system": system, "annotator": person, "criterion": criterion, "value": value}
            for item, system, person, criterion, value in rows
        ],
    )


def test_rated_texts_are_compared_across_inputs_by_those_who_rated_both() -> None:
    study = rated([
        ("1", "s", "ann", "c", 3), ("1", "t", "ann", "c", 1), ("1", "s", "bo", "c", 2),
        ("2", "s", "ann", "c", 2), ("2", "s", "bo", "c", 2), ("2", "s", "ann", "d", 5),
        ("3", "s", "cy", "c", 9), ("3", "s", "cy", "d", 5), ("4", "s", "di", "e", 1),
    ])  # fmt: skip
    corpus = Corpus.of([study])
    across = Across.of(corpus, [study])
    found = across.between(np.unique(corpus.context))
    assert named(corpus, found) == sorted([
        ("1-s", "2-s", (0.5, 0.5, 0.0)),  # Ann more, Bo as much
        ("2-s", "1-t", (1.0, 0.0, 0.0)),
        ("3-s", "1-s", (1.0, 0.0, 0.0)),  # nobody rated both: 2.5 against 9, one vote
        ("3-s", "1-t", (1.0, 0.0, 0.0)),
        ("3-s", "2-s", (0.5, 0.5, 0.0)),  # more on c, as much on d
    ])  # fmt: skip
    assert {corpus.texts[a] for a in across.only(np.isin(across.context, [0, 1])).text} == {"1-s", "1-t", "2-s"}
    assert len(across.between(np.array([0]))) == 0, "pairs of one context are not across"
    without = Across.of(corpus, [study], ties=False).between(np.unique(corpus.context))
    assert ("1-s", "2-s", (1.0, 0.0, 0.0)) in named(corpus, without)
    groups = across.in_groups(2)
    assert named(corpus, groups) == named(corpus, across.between(np.array([0, 1])))
    assert len(Across.of(corpus, [study], criteria=["e"]).between(np.unique(corpus.context))) == 0


def test_texts_of_two_studies_are_not_compared_across_them() -> None:
    studies = [rated([(item, "s", "ann", "c", value)]) for item, value in (("1", 1.0), ("2", 5.0))]
    corpus = Corpus.of(studies)
    assert len(Across.of(corpus, studies).between(np.unique(corpus.context))) == 0
