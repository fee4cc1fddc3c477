"""Whether labels of a study trained what speaks of its items: told by hashes, in spite of what people do to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl
import pytest

from tiebreak.data.signatures import Meaning
from tiebreak.data.study import Study
from tiebreak.data.trained_on import (
    LABELLED_PAIRS,
    LABELLED_TEXTS,
    LABELLED_WORDS,
    LearnedHere,
    Why,
    context_hash,
    contexts_of,
    texts_read,
    trained_here,
    words_of,
)

SIGNATURE = "evaluator|siamese|encoder:e|weights:0"
LONG = "that was said at length of the matter by system"


def written(count: int, texts: Callable[[int, str], str], systems: str = "ab") -> Study:
    """Inputs with outputs of some systems, and a label of each pair or output."""
    numbers = range(count)
    return Study.from_tables(
        items=[{"item": f"i{k}", "input": f"question {k}"} for k in numbers],
        outputs=[{"item": f"i{k}", "system": name, "text": texts(k, name)} for k in numbers for name in systems],
        ratings=[
            {"item": f"i{k}", "system": name, "annotator": "ann", "criterion": "c", "value": k % 5}
            for k in numbers for name in systems
        ],
    )  # fmt: skip


def meaning_of(study: Study) -> Meaning:
    """Of what learned from all labels of a study."""
    assert study.outputs is not None
    about = contexts_of(study.items)
    rows = list(study.outputs.select("item", "text").iter_rows())
    words = words_of((about[item], text) for item, text in rows)
    pairs = study.outputs.group_by("item").agg("text").iter_rows()
    return {
        LABELLED_TEXTS: [context_hash(about[item], (text,)) for item, text in rows],
        LABELLED_PAIRS: [context_hash(about[item], texts) for item, texts in pairs],
        LABELLED_WORDS: sorted(set().union(*words.values())),
    }


def judged(study: Study, then: Study | None) -> Study:
    """With answers of an evaluator, about the texts of a study, or of which nothing tells what they were about."""
    assert study.outputs is not None
    about = {} if then is None else contexts_of(then.items)
    texts = {} if then is None else dict(then.tables["outputs"].group_by("item").agg("text").iter_rows())
    rows = [
        {"item": item, "system_a": "a", "system_b": "b", "judge": "learned", "outcome": "a", "signature": SIGNATURE,
         "texts": texts_read(about[item], texts[item]) if about else None}
        for item in sorted(set(study.outputs["item"]))
    ]  # fmt: skip
    made = Study.from_tables(outputs=[{"item": "x", "system": "a", "text": "y"}], judge_preferences=rows)
    return replace(study, judge_preferences=made.judge_preferences)


def told(study: Study, meaning: Meaning | None) -> Mapping[str, LearnedHere]:
    return trained_here(study.tables, {} if meaning is None else {SIGNATURE: meaning}, study.outputs)


def changed_text(study: Study, change: Callable[[pl.Expr], pl.Expr]) -> Study:
    assert study.outputs is not None
    return replace(study, outputs=study.outputs.with_columns(change(pl.col("text")).alias("text")))


def changed_input(study: Study, change: Callable[[pl.Expr], pl.Expr]) -> Study:
    assert study.items is not None
    return replace(study, items=study.items.with_columns(change(pl.col("input")).alias("input")))


def learned_here(items: int, why: Why) -> LearnedHere:
    return LearnedHere("judge", "learned", items, why)


LEARNED = {"learned": learned_here(20, "learned")}


@pytest.mark.parametrize(
    ("find", "put"),
    [(" ", "  "), (" ", "\u00a0"), ("said", "sa\u200bid"), ("said", "sa\u00adid"), ("fi", "\ufb01"), ("a", "\uff41")],
    ids=["blanks", "no-break blank", "zero-width blank", "soft hyphen", "ligature", "full width"],
)
def test_forms_of_characters_make_no_difference(find: str, put: str) -> None:
    """Nor do those that nobody sees: an encoder reads the same."""
    study = written(20, lambda k, name: f"text {k} {name} fine said")
    other = changed_text(study, lambda text: text.str.replace_all(find, put, literal=True))
    assert not other.tables["outputs"].equals(study.tables["outputs"])
    assert told(judged(other, other), meaning_of(study)) == LEARNED


def test_answers_about_texts_that_have_changed_since() -> None:
    """Known by what they were about then; and refused where nobody can tell what they are about now."""
    study = written(20, lambda k, name: f"{k} {name}")
    other = changed_text(study, lambda text: text + ".")
    assert told(judged(other, other), meaning_of(study)) == {}, "it speaks of the new texts, which it has not learned"
    assert told(judged(other, study), meaning_of(study)) == LEARNED
    nothing = meaning_of(written(3, lambda k, name: f"other {k} {name}"))
    (found,) = told(judged(other, study), nothing).values()
    assert found == learned_here(20, "changed")
    assert "the texts of 20 of the items that people labelled were changed after it had read them" in found.words
    assert found.instead == "judge or score again with the evaluator"


@pytest.mark.parametrize(
    ("text", "later"),
    [("a", "b"), ("25 m", "2\u2075 m"), ("Ja", "ja")],
    ids=["exchanged", "another character of the same form", "capitals"],
)
def test_a_change_that_makes_it_another_text(text: str, later: str) -> None:
    """Forms of characters tell what was learned; what was judged is told to the letter, and side by side."""
    both = {"a": text, "b": later if text == "a" else "b"}
    study = written(20, lambda k, name: f"{k} {both[name]}")
    both |= {"a": later, "b": text if text == "a" else "b"}
    other = written(20, lambda k, name: f"{k} {both[name]}")
    nothing = meaning_of(written(3, lambda k, name: f"other {k} {name}"))
    assert told(judged(study, study), nothing) == {}
    assert told(judged(other, study), nothing) == {"learned": learned_here(20, "changed")}


@pytest.mark.parametrize("systems", ["ab", "a"])
def test_an_input_written_in_another_way_or_left_out(systems: str) -> None:
    """Long texts tell, also the only one of an item; short ones do not."""
    study = written(20, lambda k, name: f"{LONG} {name} {k}", systems)
    for other in (changed_input(study, lambda said: "Please: " + said), replace(study, items=None)):
        assert told(replace(judged(study, None), items=other.items), meaning_of(study)) == LEARNED
    short = written(20, lambda k, name: f"{name} {k}", systems)
    assert told(judged(changed_input(short, lambda said: "Please: " + said), None), meaning_of(short)) == {}


def test_what_systems_say_to_anything_tells_nothing() -> None:
    """Other inputs; some were refused in the same words: in several of them, or in one of each study."""

    def said(refused: set[int], kind: str) -> Callable[[int, str], str]:
        usual = {"a": "I am sorry, but I cannot help with that request.", "b": "As a model I am not able to do that."}
        return lambda k, name: usual[name] if k in refused else f"{kind}, {LONG} {name} {k}"

    several, one = said({1, 2, 3}, "old"), said({1}, "old")
    for learned_from in (several, one):
        meaning = meaning_of(written(45, learned_from))
        for asked in (said({4, 5, 6}, "new"), said({4}, "new")):
            other = changed_input(written(45, asked), lambda text: "new " + text)
            assert told(judged(other, other), meaning) == {}


def labels_of(study: Study, labelled: range) -> Study:
    assert study.ratings is not None
    return replace(study, ratings=study.ratings.filter(pl.col("item").is_in([f"i{k}" for k in labelled])))


def test_what_is_said_of_many_items_tells_nothing_of_the_few_that_people_labelled() -> None:
    """Each of twenty texts stands once among the labels, and fifteen times in the study."""
    said = labels_of(written(300, lambda k, name: f"{LONG} {name} {k % 20}"), range(20))
    other = changed_input(said, lambda text: "new " + text)
    meaning = meaning_of(written(2, lambda k, name: f"{LONG} {name} {k}"))
    assert told(judged(said, None), meaning) == {"learned": LearnedHere("judge", "learned", 2, "learned")}, (
        "the inputs are the same, too"
    )
    assert told(judged(other, None), meaning) == {}


def test_items_without_labels_do_not_hide_what_was_learned() -> None:
    """Neither many others nor copies of the labelled ones under other inputs; nor is all of these to be known."""
    many = written(500, lambda k, name: f"{LONG} {name} {k}")
    copies = written(40, lambda k, name: f"{LONG} {name} {k % 20}")
    for whole in (many, copies):
        other = changed_input(labels_of(whole, range(20)), lambda text: "new " + text)
        for learned_from, count in ((20, 20), (4, 4)):
            meaning = meaning_of(written(learned_from, lambda k, name: f"{LONG} {name} {k}"))
            assert told(judged(other, other), meaning) == {"learned": LearnedHere("judge", "learned", count, "learned")}


def test_what_nothing_tells_of() -> None:
    study = written(20, lambda k, name: f"{k} {name}")
    assert told(judged(study, study), None) == {"learned": learned_here(20, "unknown")}
    assert study.outputs is not None
    fewer = study.outputs.filter(~((pl.col("item") == "i3") & (pl.col("system") == "b")))
    other = meaning_of(written(3, lambda k, name: f"other {k} {name}"))
    assert told(replace(judged(study, study), outputs=fewer), other) == {"learned": learned_here(1, "unknown")}
    without = replace(judged(study, study), outputs=None)
    assert told(without, meaning_of(study)) == {"learned": learned_here(20, "unknown")}
    assert told(without, {LABELLED_TEXTS: []}) == {}, "it learned from no label"


def test_labels_of_other_systems_outputs_are_labels_of_the_item() -> None:
    """It learned from a and b, and is asked about c and d on the same items: not of what it knows is drawn which items
    have labels.
    """
    study = written(8, lambda k, name: f"{name} says {k}", "abcd")
    of_two = replace(study, outputs=study.tables["outputs"].filter(pl.col("system").is_in(["a", "b"])))
    rows = [
        {"item": f"i{k}", "system_a": "c", "system_b": "d", "judge": "learned", "outcome": "a", "signature": SIGNATURE}
        for k in range(8)
    ]
    made = Study.from_tables(outputs=study.outputs, judge_preferences=rows).judge_preferences
    asked = replace(study, judge_preferences=made).with_signatures({SIGNATURE: meaning_of(of_two)})
    chosen = asked.select(systems=["c", "d"])
    assert chosen.trained_here == asked.trained_here == {"learned": LearnedHere("judge", "learned", 8, "learned")}
    assert chosen.select(annotators=["ann"]).trained_here == chosen.trained_here
    elsewhere = asked.select(systems=["c", "d"]).with_signatures(
        {SIGNATURE: meaning_of(written(3, lambda k, _: f"x{k}"))}
    )
    assert not elsewhere.trained_here
