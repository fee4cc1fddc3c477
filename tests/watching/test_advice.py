"""What `watch` advises: nothing that cannot be followed, and nothing that cannot help."""

from __future__ import annotations

from tests.watching.watched import Watched, label, labels, outputs

from tiebreak.results.words import Message, message_of


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
