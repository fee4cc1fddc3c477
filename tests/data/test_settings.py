"""study.toml: every key, every mistake, and back again; judges, there or in a file of their own; and directions that
are added, where nothing else changes.
"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.data.problems import ProblemLog
from tiebreak.data.settings import StudySettings, read_judges, read_settings, settings_to_toml
from tiebreak.data.writers import add_directions
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.settings.judge import JudgeSettings

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


def _problem(text: str) -> Problem:
    log = ProblemLog()
    read_settings(text.encode(), "study.toml", log)
    (problem,) = log.problems
    return problem


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
        ("[judges]\nx = 3", 2, "judges.x", "must be a table"),
        ("[judges.x]\nmodle = 'm'", 2, "judges.x.modle", "unknown key: did you mean model?"),
        ("[judges.x]\nmax_tokens = 10", 2, "judges.x.max_tokens", "must be a whole number from 8,192 to 1,000,000"),
        ("[judges.x]\nmax_tokens = 1e5", 2, "judges.x.max_tokens", "must be a whole number"),
        ("[judges.x]\ntemperature = nan", 2, "judges.x.temperature", "must be from 0 to 2"),
        ("[judges.x]\nscale = 5", 2, "judges.x.scale", "must be a list of numbers"),
        ("[judges.x]\nscale = [5, 1]", 1, "judges.x", "scale must be two whole numbers"),
        ("[judges.a]\nties = true\n[judges.b]\nties = 1", 4, "judges.b.ties", "must be true or false"),
    ],
)
def test_mistakes_are_named_with_their_line(text: str, line: int, column: str | None, words: str) -> None:
    problem = _problem(text)
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
    problem = _problem(text)
    assert (problem.line, problem.column) == (line, key)
    assert str(problem).endswith(written)
    assert "unknown key" not in str(problem)


@pytest.mark.parametrize("text", ["[systems.a.setings]\nlr = 1", '[systems.a]\ncolour = "red"'])
def test_an_unknown_key_is_no_name_with_a_dot(text: str) -> None:
    problem = _problem(text)
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


# ---- judges ----------------------------------------------------------------------------------------------------------

JUDGES = """[judges."gpt, large"]
model = "gpt-x"
base_url = "http://localhost:8000/v1"
rubric = "5: flawless\\n1: \\"useless\\""
scale = [0, 10]
max_tokens = 20_000
input_price = 2
structured = false
parameters = { top_p = 0.5, thinking = { type = "enabled", budget = [1, 2] } }

[judges.plain]
"""


def test_judges_survive_reading_and_writing() -> None:
    judges = {
        "gpt, large": JudgeSettings(
            model="gpt-x",
            base_url="http://localhost:8000/v1",
            rubric='5: flawless\n1: "useless"',
            scale=(0, 10),
            max_tokens=20000,
            input_price=2,
            structured=False,
            parameters={"top_p": 0.5, "thinking": {"type": "enabled", "budget": [1, 2]}},
        ),
        "plain": JudgeSettings(),
    }
    assert read_judges(JUDGES, "judges.toml") == judges
    written = settings_to_toml(StudySettings(title="x", judges=judges))
    assert _read(written).judges == judges


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no judge: write"),
        ("[judges]", "has no judge"),
        ("title = 'x'\n[judges.x]", "unknown key; known are judges"),
        ("[judges.x", "invalid TOML"),
        ("[judges.x]\napi_key = 'sk-1'", "keys come from the environment"),
    ],
)
def test_a_file_of_judges_has_nothing_else(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_judges(text, "judges.toml")
    assert message in str(caught.value)
    assert "sk-1" not in str(caught.value)


# ---- directions ------------------------------------------------------------------------------------------------------


def directions(folder: Path) -> dict[str, bool]:
    return dict(_read((folder / "study.toml").read_text("utf-8")).higher_is_better)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'title = "A # study"\n',
        'title = "A"  # why\n[scale]\nfluency = [1, 5]',
        "[higher_is_better]\n",
        "[ higher_is_better ] # of metrics\n",
        "title = 'x'\r\n[higher_is_better]\r\nold = false\r\n[scale]\r\nc = [1, 2]\r\n",
        '[systems."a"]\nstep = 1\ntotal_steps = 2\nrun = "r"\n\n# last words\n',
    ],
)
def test_all_else_stays(tmp_path: Path, text: str) -> None:
    if text:
        (tmp_path / "study.toml").write_bytes(text.encode())
    before = directions(tmp_path) if text else {}
    add_directions(tmp_path, {"ter": False, 'odd "name".x': True})
    assert directions(tmp_path) == {**before, "ter": False, 'odd "name".x': True}
    lines = (tmp_path / "study.toml").read_text(encoding="utf-8").splitlines()
    assert [line for line in text.splitlines() if line] == [
        line for line in lines if line in text.splitlines() and line
    ]


def test_what_the_study_says_stands(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("[higher_is_better]\nter = true\n")
    before = (tmp_path / "study.toml").stat().st_mtime_ns
    add_directions(tmp_path, {"ter": False})
    assert directions(tmp_path) == {"ter": True}
    assert (tmp_path / "study.toml").stat().st_mtime_ns == before


def test_nothing_to_say_makes_no_file(tmp_path: Path) -> None:
    add_directions(tmp_path, {})
    assert not (tmp_path / "study.toml").exists()


@pytest.mark.parametrize("text", ["higher_is_better = { bleu = true }\n", "higher_is_better.bleu = true\n"])
def test_where_nothing_can_be_added_the_error_says_what_to_write(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(TiebreakError, match=r"not a table of its own; write there:\nter = false"):
        add_directions(tmp_path, {"ter": False})
    assert (tmp_path / "study.toml").read_text() == text


def test_a_damaged_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("title = \n")
    with pytest.raises(InputError, match="invalid TOML"):
        add_directions(tmp_path, {"ter": False})
