from __future__ import annotations

from tiebreak.results.records import PaperSentence
from tiebreak.rules.guarantee import ALL_COUNTED, CHANCE_RATED, Guarantee

HOLDS = Guarantee("hold for one look", "the chance of an error is at most 0.05", (CHANCE_RATED,), "Look once")


def test_a_guarantee_says_when_it_holds_on_what_condition_and_what_to_do() -> None:
    assert str(HOLDS) == (
        "hold for one look, provided that chance decided who rated which output: the chance of an error is at most "
        "0.05. Look once"
    )
    assert str(HOLDS) == f"{HOLDS.in_a_paper}. Look once"


def test_only_a_bounded_chance_can_be_doubted() -> None:
    assert ALL_COUNTED.doubted() == ALL_COUNTED
    assert HOLDS.doubted().provisos == f"{HOLDS.provisos} and that items are independent, which a warning doubts"


def test_several_conditions_are_counted_where_there_is_no_room() -> None:
    assert HOLDS.in_short == HOLDS.in_a_paper
    three = Guarantee("hold", "the chance is small", ("one", "two", "three"))
    assert three.in_a_paper == "hold, provided that one, that two and that three: the chance is small"
    assert three.in_short == "hold (3 conditions: --all): the chance is small"


def test_a_sentence_that_claims_nothing_takes_no_guarantee() -> None:
    why = Guarantee("carry no promise, because labels were lost")
    assert str(PaperSentence("Nothing was found.").under(why)) == "Nothing was found."
    found = PaperSentence("A is better than B.", HOLDS)
    assert str(found) == f"A is better than B. Verdicts {HOLDS.in_a_paper}."
    assert str(found.under(why)) == "A is better than B. Verdicts carry no promise, because labels were lost."
