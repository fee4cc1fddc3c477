"""API keys come from the environment, and appear in no file, no output, no error and no signature."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from tests.scoring.judges.batch_server import batch_serving
from tests.scoring.judges.judging import add_judges, score, small
from tests.scoring.judges.model_server import KEY, ModelServer, Say, environment, honest


def files_with(text: str, folder: Path) -> list[str]:
    """Files that have a text in them or in their names."""
    return [
        str(path)
        for path in folder.rglob("*")
        if text in path.name or (path.is_file() and text.encode() in path.read_bytes())
    ]


@pytest.mark.parametrize(
    "said",
    [
        Say(status=401, error={"message": f"Incorrect API key provided: {KEY}.", "code": "invalid_api_key"}),
        Say(status=400, error={"message": f"no, {KEY}", "param": KEY}),
        Say(status=500, error={"message": KEY}, headers={"retry-after": "0"}),
        Say(status=429, error={"message": KEY, "code": "insufficient_quota"}),
        Say(f"Your key is {KEY}: [[A]]"),
        Say(f"Your key is {KEY}."),
        Say(refusal=f"Not with {KEY}"),
        Say(raw=f"<html>{KEY}</html>".encode()),
    ],
)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_server_that_repeats_the_key(
    provider: str, said: Say, server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.model = lambda _: said
    study = small(tmp_path / "study", items=1)
    add_judges(study, f'[judges.model-x]\nprovider = "{provider}"\nattempts = 1')
    for words in ((), ("--json",), ("--dry-run",)):
        _, output = score(study, *words)
        assert KEY not in output
    assert KEY not in caplog.text
    assert server.calls
    assert not files_with(KEY, tmp_path)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_batches(provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with batch_serving() as server:
        for name, value in environment(server).items():
            monkeypatch.setenv(name, value)
        study = small(tmp_path / "study", items=2)
        add_judges(study, f'[judges.model-x]\nprovider = "{provider}"')
        assert score(study, "--batch-api")[0] == 4
        assert not files_with(KEY, tmp_path)
        server.model = lambda call: Say(f"{KEY} [[A]]") if call.number % 2 else honest(call)
        server.end()
        code, output = score(study, "--batch-api")
        assert (code, KEY in output) == (0, False)
        assert not files_with(KEY, tmp_path)
        assert files_with("[key]", tmp_path)


def test_a_key_from_another_variable(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = small(tmp_path / "study", items=1)
    add_judges(study, '[judges.model-x]\nkey_from = "OUR_KEY"')
    code, output = score(study)
    assert (code, "set the environment variable OUR_KEY" in output) == (2, True)
    monkeypatch.setenv("OUR_KEY", "another-0123456789abcdef")
    assert score(study)[0] == 0
    assert server.calls[0].headers["authorization"] == "Bearer another-0123456789abcdef"
    assert not files_with("another-0123456789abcdef", tmp_path)


def test_a_server_of_ones_own_needs_no_key(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    study = small(tmp_path / "study", items=1)
    server.model = lambda call: Say(f"none of them? {honest(call).text}")
    assert score(study)[0] == 0
    assert "none of them?" in (study / "judge_preferences.csv").read_text(encoding="utf-8")
    monkeypatch.delenv("OPENAI_BASE_URL")
    code, output = score(small(tmp_path / "other"))
    assert (code, "set the environment variable OPENAI_API_KEY" in output) == (2, True)


def test_a_server_that_a_table_names_gets_no_key_that_the_table_does_not_name(
    server: ModelServer, tmp_path: Path
) -> None:
    # A study from somebody else could send one's key anywhere.
    study = small(tmp_path / "study", items=1)
    table = f'[judges.model-x]\nbase_url = "{server.url}"\n'
    add_judges(study, table)
    assert score(study)[0] == 0
    assert {call.headers["authorization"] for call in server.calls} == {"Bearer none"}
    other = small(tmp_path / "other", items=2)
    add_judges(other, f'{table}key_from = "OPENAI_API_KEY"')
    assert score(other)[0] == 0
    assert server.calls[-1].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "lines",
    [
        f'api_key = "{KEY}"',
        f'key_from = "{KEY}"',
        f'base_url = "https://user:{KEY}@example.org/v1"',
        f'base_url = "https://example.org/v1?key={KEY}"',
        f'base_url = "{KEY}"',
        f'parameters = {{ api_key = "{KEY}" }}',
        f'parameters = {{ extra_headers = {{ authorization = "{KEY}" }} }}',
    ],
)
def test_a_key_in_study_toml_is_refused_and_not_repeated(lines: str, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    add_judges(study, f"[judges.model-x]\n{lines}")
    code, output = score(study)
    assert code == 1
    assert KEY not in output


def test_an_address_with_a_password_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"https://user:{KEY}@example.org")
    code, output = score(small(tmp_path / "study"))
    assert (code, KEY in output) == (2, False)
    assert "OPENAI_BASE_URL must hold no user, password or query" in output
