"""What `watch` advises: nothing that cannot be followed, and nothing that cannot help."""

from __future__ import annotations

from tests.watching.watched import Watched, label, labels, outputs

from tiebreak.results.numbers import about
from tiebreak.results.words import Message, message_of, verdict_words
from tiebreak.watching.settings import WatchSettings


def message(watched: Watched) -> Message:
    result = watched.result
    return message_of(result.results[0], result.terms, "$", watch=result.watch)


def test_a_contradiction_names_what_is_likely_and_sends_nobody_on() -> None:
    """150 wins and then 400 losses: something changed on the way."""
    watched = Watched(tables={"outputs": outputs(600)})
    watched.look(labels("w" * 150))
    watched.look(labels("l" * 400, start=150))
    assert watched.pair.flags == ("contradiction",)
    said = message(watched)
    assert said.headline == "ant or bee: no result, as the evidence contradicts itself"
    assert said.next_step == (
        "Stop labelling, and find out what is wrong: the evidence on ant and bee contradicts itself, and more labels "
        "cannot mend that. When the cause is removed, ask again in a new study."
    )
    result = watched.result
    (notice,) = [of for of in result.warnings if of.code == "contradiction"]
    for cause in ("changed from look to look", "in an order", "faster", "belong together", "copied"):
        assert cause in notice.text
    assert "sentence for a paper" in result.results[0].sentence
    assert result.results[0].sentence.startswith("There is no")


def test_a_contradiction_on_one_pair_comes_before_what_others_need() -> None:
    """The others share the order of items, and the people."""
    watched = Watched(tables={"outputs": outputs(600, systems=("ant", "bee", "cat"))})
    watched.look([*labels("w" * 150), label("i0", "a", a="ant", b="cat"), label("i1", "b", a="bee", b="cat")])
    watched.look(labels("l" * 400, start=150))
    assert message(watched).next_step.startswith(
        "Stop labelling, and find out what is wrong: the evidence on ant and bee"
    )


def test_where_every_item_is_labelled_only_new_ones_can_help() -> None:
    watched = Watched(tables={"outputs": outputs(30)})
    watched.look()
    assert message(watched).next_step.startswith("Go on labelling")
    watched.look(labels("wwltwtlw" * 2))
    assert watched.evidence.left == 14
    assert watched.pair.flags == ("beyond-items",)
    said = message(watched).next_step
    assert said.startswith("Go on labelling, and look again whenever you like: ant and bee need about 100 more items")
    assert said.endswith("Some of them must be new: fewer are left that could count.")
    watched.look(labels("wltwwtlwltwlwt", start=16))
    assert (watched.evidence.left, watched.pair.flags) == (0, ("new-items",))
    needed = f"about {about(watched.pair.items_to_decision or 0, 'new item')}"
    assert verdict_words(watched.pair, None).startswith(f"undecided: {needed}, ")
    assert message(watched).next_step.startswith(
        "Have new items labelled, as the others can add no evidence, and look again whenever you like: ant and bee "
        f"need {needed}, "
    )


def test_no_end_in_sight_sends_nobody_to_items_that_cannot_count() -> None:
    watched = Watched(tables={"outputs": outputs(40)})
    watched.look(labels("wl" * 10))
    assert message(watched).next_step.endswith("leave it at that, or go on labelling and look again.")
    watched.look(labels("wl" * 10, start=20))
    assert message(watched).next_step.endswith(
        "leave it at that, or have new items labelled, as the others can add no evidence, and look again."
    )


def test_identical_outputs_cannot_become_evidence() -> None:
    watched = Watched(tables={"outputs": outputs(5, same=range(5))})
    watched.look()
    assert message(watched).next_step.startswith("Have new items labelled, as the others can add no evidence")


def test_a_pool_cannot_grow() -> None:
    """Two answers never came: nothing decides, and nothing can be added."""
    batches = {"items": [{"item": f"i{k}", "batch": "b"} for k in range(8)], "outputs": outputs(8)}
    watched = Watched(tables=batches, settings=WatchSettings(target="items"))
    watched.look(labels("wwlwlt"))
    assert watched.evidence.left == 8
    watched.look(closed=["b"])
    assert (watched.evidence.left, watched.pair.verdict, watched.pair.exhausted) == (0, "undecided", True)
    assert verdict_words(watched.pair, None) == "undecided: no items left"
    assert message(watched).next_step == (
        "Stop labelling: no item of the pool is left that could count, and what is undecided stays so."
    )


def test_items_of_a_closed_batch_are_not_left() -> None:
    """Listed after it was closed, they never enter."""
    tables = {"items": [{"item": f"i{k}", "batch": "b"} for k in range(4)], "outputs": outputs(4)}
    watched = Watched(tables=tables)
    watched.look(labels("wlwl"), closed=["b"])
    watched.tables["items"] = [{"item": f"i{k}", "batch": "b" if k < 6 else "c"} for k in range(9)]
    watched.tables["outputs"] = outputs(9)
    watched.look()
    assert watched.evidence.left == 3
