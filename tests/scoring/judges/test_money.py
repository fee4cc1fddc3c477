"""Estimates, the purse and what a run spends."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.judges.judging import add_judges, answers, labels, score, scored, small, write_qualities
from tests.scoring.judges.model_server import ModelServer, Say, honest

from tiebreak.data.study import StudySettings
from tiebreak.scoring.judges.account import Meter, Prices, Purse, at_most, usually
from tiebreak.scoring.judges.judge import PromptMessage
from tiebreak.scoring.judges.provider import Request
from tiebreak.scoring.judges.replies import Usage

PRICED = ("--input-price", "1", "--output-price", "10")


def test_prices_are_of_a_million_tokens() -> None:
    assert Prices(2.5, 10).of(Usage(1_000_000, 100_000)) == 3.5
    assert Prices(2.5, 10).times(0.5).of(Usage(1_000_000, 100_000)) == 1.75


@given(st.text(), st.text())
def test_no_tokenizer_makes_more_tokens_than_bytes(system: str, user: str) -> None:
    message = PromptMessage(system, user)
    request = Request({"messages": [system, user]}, {"schema": {"enum": ["A"] * 100}}, "max_tokens")
    assert at_most(request.size, 100).read >= len((system + user).encode("utf-8", "replace")) + 300
    assert usually(message).read <= at_most(request.size, 100).read


def test_a_purse_is_never_overdrawn() -> None:
    purse = Purse(1.0)
    assert purse.reserve(0.6)
    assert not purse.reserve(0.5)
    purse.pay(0.6, 0.1)
    assert purse.reserve(0.9)
    purse.doubt(0.9)
    assert (purse.paid, purse.doubtful, purse.reserved) == (0.1, 0.9, 0.0)
    assert not purse.reserve(0.01)
    assert Purse().reserve(1e9)


def test_a_meter_corrects_by_the_first_20_calls() -> None:
    meter = Meter()
    for _ in range(19):
        meter.add(Usage(100, 30), Usage(150, 300))
    assert meter.corrected(Usage(1000, 300)) is None
    meter.add(Usage(100, 30), Usage(150, 300))
    assert meter.corrected(Usage(1000, 300)) == Usage(1500, 3000)
    assert meter.add(Usage(7, 8), None) == Usage(7, 8)  # a server that does not count
    assert meter.uncounted == 1


def test_the_plan_says_calls_tokens_and_price_and_makes_none(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=10)
    code, output = score(study, *PRICED, "--dry-run", yes=False)
    assert code == 0
    assert "10 comparisons to judge" in output
    assert "20 calls to make" in output
    assert "about $0.0" in output
    assert "<second-" in output  # the first prompt
    assert not server.calls
    assert not (study / ".scoring").exists()
    plan = scored(study, *PRICED, "--dry-run")["plan"]
    assert (plan["units"], plan["calls"]) == (10, 20)
    assert plan["expected_tokens_read"] > 20 * 100
    assert plan["expected_price"] == pytest.approx(
        (plan["expected_tokens_read"] + 10 * plan["expected_tokens_written"]) / 1e6
    )


@pytest.mark.parametrize("limit", [0.1, 0.3, 1.0])
def test_what_may_be_spent_is_a_hard_limit(limit: float, server: ModelServer, tmp_path: Path) -> None:
    """Every call costs about all that it may: 8,192 tokens written at 10 a million, 8 cents."""
    study = small(tmp_path / "study", items=30)
    server.model = lambda call: Say(call.in_form("B"), written=8000)
    told = scored(study, *PRICED, "--spend-at-most", str(limit), code=4)
    assert told["paid"] <= limit
    assert told["paid"] > limit - 2 * 0.084
    assert told["calls"] == len(server.calls) == answers(study).height


def test_cheap_calls_use_up_the_money_down_to_one_at_its_worst(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=40)
    worst = 0.084
    told = scored(study, *PRICED, "--spend-at-most", str(worst + 0.01), code=4)
    assert 0.0095 < told["paid"] <= worst + 0.01
    assert told["calls"] == len(server.calls) < 80


def test_a_server_that_bills_more_than_it_may_write_is_asked_no_more(server: ModelServer, tmp_path: Path) -> None:
    server.model = lambda call: Say(call.in_form("A"), written=100_000)
    study = small(tmp_path / "study", items=10)
    told = scored(study, "--input-price", "0", "--output-price", "10", "--spend-at-most", "0.5", code=4)
    assert (told["calls"], told["paid"], told["not_asked"]) == (1, 1.0, 19)


def test_replies_that_were_lost_count_at_their_worst(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=3)
    server.model = lambda call: Say("x", cut=1) if call.number < 2 else honest(call)
    told = scored(study, *PRICED, "--spend-at-most", "0.17", code=1)
    assert told["lost"] == 2
    assert told["paid"] + told["doubtful"] <= 0.17
    assert told["scored"] == 0  # two replies at their worst are all that the money allows


def test_a_limit_without_prices_or_without_a_limit_of_tokens(server: ModelServer, study: Path) -> None:
    code, output = score(study, "--spend-at-most", "1")
    assert code == 2
    assert "--spend-at-most needs prices" in output
    code, output = score(study, "--input-price", "1")
    assert (code, "one price of two" in output) == (2, True)

    def model(call):  # type: ignore[no-untyped-def]
        names = [name for name in ("max_completion_tokens", "max_tokens") if name in call.body]
        return Say(status=400, error={"message": "no", "param": names[0]}) if names else honest(call)

    server.model = model
    assert scored(study, *PRICED)["dropped"] == ["max_completion_tokens", "max_tokens"]


def test_a_server_that_does_not_count_tokens(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    server.model = lambda call: Say(call.in_form("B"), usage=False)
    told = scored(study, *PRICED)
    assert told["tokens_read"] == told["plan"]["expected_tokens_read"]
    assert told["paid"] == pytest.approx(told["plan"]["expected_price"])
    assert told["uncounted"] == 2


def test_after_20_calls_the_price_is_said_again(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=30)
    server.model = lambda call: Say(call.in_form("B"), written=1000)
    _, output = score(study, *PRICED)
    assert "By the first 20 calls: about " in output
    assert "60,000 written in all, $0.6" in output


@pytest.mark.usefixtures("server")
def test_the_bill_stands_beside_the_labels_that_are_saved(tmp_path: Path) -> None:
    """A judge that says what people say, on 60 items of which they labelled 30."""
    ant = [1 + k % 3 for k in range(60)]
    bee = [1 + (k // 3) % 3 for k in range(60)]
    said = ["a" if one > other else "b" if other > one else "tie" for one, other in zip(ant, bee, strict=True)]
    study = write_qualities(
        tmp_path / "study", {"ant": ant, "bee": bee},
        preferences=labels(said[:30]), settings=StudySettings(price_per_label=0.5),
    )  # fmt: skip
    told = scored(study, *PRICED)
    assert told["labels_saved"] > 10
    assert told["price_of_labels_saved"] == pytest.approx(0.5 * told["labels_saved"])


@pytest.mark.usefixtures("server")
def test_prices_of_the_judge_and_its_currency(tmp_path: Path) -> None:
    study = write_qualities(tmp_path / "study", {"ant": [1], "bee": [2]}, settings=StudySettings(currency="EUR "))
    add_judges(study, "[judges.model-x]\ninput_price = 1000\noutput_price = 0")
    code, output = score(study, "--dry-run", yes=False)
    assert (code, "about EUR 0." in output) == (0, True)
