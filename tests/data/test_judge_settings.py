"""Judges in study.toml and in files of their own."""

from __future__ import annotations

import pytest

from tiebreak.data.problems import ProblemLog
from tiebreak.data.settings import StudySettings, read_judges, read_settings, settings_to_toml
from tiebreak.errors import InputError
from tiebreak.settings.judge import JudgeSettings

FULL = """[judges."gpt, large"]
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
    assert read_judges(FULL, "judges.toml") == judges
    written = settings_to_toml(StudySettings(title="x", judges=judges))
    log = ProblemLog()
    assert read_settings(written.encode(), "study.toml", log).judges == judges
    assert not log.problems


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        ("[judges]\nx = 3", 2, "judges.x", "must be a table"),
        ("judges = 3", 1, "judges", "must be a table"),
        ("[judges.x]\nmodle = 'm'", 2, "judges.x.modle", "unknown key: did you mean model?"),
        ("[judges.x]\nmodel = 3", 2, "judges.x.model", "must be text"),
        ("[judges.x]\nties = 1", 2, "judges.x.ties", "must be true or false"),
        ("[judges.x]\nmax_tokens = 10", 2, "judges.x.max_tokens", "must be a whole number from 8,192 to 1,000,000"),
        ("[judges.x]\nmax_tokens = 1e5", 2, "judges.x.max_tokens", "must be a whole number"),
        ("[judges.x]\ntemperature = true", 2, "judges.x.temperature", "must be a number"),
        ("[judges.x]\ntemperature = nan", 2, "judges.x.temperature", "must be from 0 to 2"),
        ("[judges.x]\nscale = 5", 2, "judges.x.scale", "must be a list of numbers"),
        ("[judges.x]\nlabels = 'AB'", 2, "judges.x.labels", "must be a list of texts"),
        ("[judges.x]\nparameters = 1", 2, "judges.x.parameters", "must be a table"),
        ("[judges.x]\nscale = [5, 1]", 1, "judges.x", "scale must be two whole numbers"),
        ("[judges.a]\nties = true\n[judges.b]\nties = 1", 4, "judges.b.ties", "must be true or false"),
    ],
)
def test_every_mistake_is_named(text: str, line: int, key: str, message: str) -> None:
    log = ProblemLog()
    read_settings(text.encode(), "study.toml", log)
    (problem,) = log.problems
    assert (problem.line, problem.column) == (line, key)
    assert message in problem.message


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
