"""study.toml: every key, every mistake, and back again."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.data.problems import ProblemLog
from tiebreak.data.settings import StudySettings, read_settings, settings_to_toml
from tiebreak.errors import UsageError

FULL = """title = "Summaries, May"
criteria = ["fluency", "relevance"]
price_per_label = 0.25
currency = "EUR"

[higher_is_better]
bleu = true
"error.rate" = false
"""


def _read(text: str) -> StudySettings:
    log = ProblemLog()
    found = read_settings(text.encode(), "study.toml", log)
    assert log.problems == []
    return found


def test_all_keys_are_read() -> None:
    assert _read(FULL) == StudySettings(
        title="Summaries, May",
        criteria=("fluency", "relevance"),
        higher_is_better={"bleu": True, "error.rate": False},
        price_per_label=0.25,
        currency="EUR",
    )


def test_nothing_set_gives_the_defaults_and_writes_nothing() -> None:
    assert _read("") == _read("# a remark\n") == StudySettings()
    assert settings_to_toml(StudySettings()) == ""


@given(
    title=st.none() | st.text(),
    criteria=st.none() | st.lists(st.text(min_size=1).filter(lambda s: s.strip()), min_size=1, unique=True),
    metrics=st.dictionaries(st.text(), st.booleans()),
    price=st.none() | st.floats(0, 1e9),
)
def test_settings_survive_writing(title, criteria, metrics, price) -> None:  # type: ignore[no-untyped-def]
    settings = StudySettings(
        title=title,
        criteria=None if criteria is None else tuple(criteria),
        higher_is_better=metrics,
        price_per_label=price,
    )
    assert _read(settings_to_toml(settings)) == settings


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('titel = "x"', 1, "titel", "did you mean title?"),
        ("colour = 1", 1, "colour", "known are title"),
        ("\ntitle = 3", 2, "title", "must be text"),
        ('criteria = "fluency"', 1, "criteria", "list of texts"),
        ("criteria = []", 1, "criteria", "at least one"),
        ('criteria = ["a", "a"]', 1, "criteria", "once"),
        ("price_per_label = -1", 1, "price_per_label", "from 0 to 1,000,000,000"),
        ("price_per_label = nan", 1, "price_per_label", "from 0 to 1,000,000,000"),
        ("price_per_label = 1e308", 1, "price_per_label", "from 0 to 1,000,000,000"),
        (f"price_per_label = 1{'0' * 5000}", 1, None, "invalid TOML"),
        ("price_per_label = true", 1, "price_per_label", "must be a number"),
        ("higher_is_better = true", 1, "higher_is_better", "must be a table"),
        ('[higher_is_better]\nbleu = "yes"', 2, "higher_is_better.bleu", "true or false"),
        ('title = "x"\ncriteria = [', 2, None, "invalid TOML"),
        ('title = "x"\n\nprice = = 3', 3, None, "invalid TOML, character 9"),
    ],
)
def test_mistakes_are_named_with_their_line(text: str, line: int, column: str | None, words: str) -> None:
    log = ProblemLog()
    read_settings(text.encode(), "study.toml", log)
    (problem,) = log.problems
    assert (problem.file, problem.line, problem.column) == ("study.toml", line, column)
    assert words in problem.message
    assert column is None or f"line {line}, key {column}: " in str(problem)


@pytest.mark.parametrize(
    ("text", "line", "key", "written"),
    [
        ('[systems.ckpt-0.5]\nrun = "x"', 1, "systems.ckpt-0.5", '[systems."ckpt-0.5"]'),
        ('title = "x"\n[systems]\nckpt-0.5 = { step = 1 }', 3, "systems.ckpt-0.5", '[systems."ckpt-0.5"]'),
        ("[systems.v1.2.3]\nstep = 1\nsettings = { lr = 1 }", 1, "systems.v1.2", '[systems."v1.2.3"]'),
        ("[systems.v1.2.settings]\nlr = 1", 1, "systems.v1.2", '[systems."v1.2"]'),
        ('[judges.gpt-4.1]\nmodel = "gpt-4.1"', 1, "judges.gpt-4.1", '[judges."gpt-4.1"]'),
        ("[systems.lr1e-4/checkpoint-200]\nstep = 1", 1, None, ': [systems."lr1e-4/checkpoint-200"]'),
        ("[systems.my model]\nstep = 1", 1, None, ': [systems."my model"]'),
        ("[systems]\nrun/v1.5 = { step = 1 }", 2, None, ': "run/v1.5" ='),
    ],
)
def test_a_name_that_takes_quotes_is_shown_with_them(text: str, line: int, key: str | None, written: str) -> None:
    log = ProblemLog()
    read_settings(text.encode(), "study.toml", log)
    (problem,) = log.problems
    assert (problem.line, problem.column) == (line, key)
    assert str(problem).endswith(written)
    assert "unknown key" not in str(problem)


@pytest.mark.parametrize("text", ["[systems.a.setings]\nlr = 1", '[systems.a]\ncolour = "red"'])
def test_an_unknown_key_is_no_name_with_a_dot(text: str) -> None:
    log = ProblemLog()
    read_settings(text.encode(), "study.toml", log)
    (problem,) = log.problems
    assert "unknown key" in problem.message
    assert "quotes" not in problem.message


@pytest.mark.parametrize("price", [-0.1, 1e308, float("inf"), float("nan")])
def test_no_price_enters_by_another_way(price: float) -> None:
    with pytest.raises(UsageError, match=r"price_per_label is .*, but must be a number from 0 to 1,000,000,000"):
        StudySettings(price_per_label=price)


def test_settings_pickle_and_stay_as_they_are() -> None:
    directions = {"bleu": True}
    settings = StudySettings(higher_is_better=directions, price_per_label=0.1)
    directions["bleu"] = False
    assert settings.higher_is_better == {"bleu": True}
    with pytest.raises(TypeError):
        settings.higher_is_better["bleu"] = False  # type: ignore[index]
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert copy.deepcopy(settings) == settings
