"""A command to be copied means to a shell what it is meant to mean."""

from __future__ import annotations

import subprocess

import pytest

from tiebreak.numbers import command


@pytest.mark.parametrize(
    "word", ["plain", "two words", "it's", "a\x1b[31m", "tab\there", "\x9b2J", "a\u202eb'c\\d", "new\nline", "a\u3000b"]
)
def test_a_shell_reads_the_word_that_was_meant(word: str) -> None:
    shown = command("compare", word)
    assert shown.isprintable()
    script = shown.replace("tiebreak", "printf '%s|'", 1)
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert done.stdout.decode().split("|")[:2] == ["compare", word]
