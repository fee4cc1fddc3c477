"""Messages that name what is wrong, and the nearest thing that would be right."""

from __future__ import annotations

import pytest

from tiebreak.errors import UsageError, check_known


def test_unknown_names_come_with_the_nearest_or_with_what_there_is() -> None:
    check_known("system", ["b"], ["a", "b"])
    with pytest.raises(UsageError, match=r"no system 'gpt4': did you mean gpt-4\?"):
        check_known("system", ["gpt4"], ["llama", "gpt-4"])
    with pytest.raises(UsageError, match=r"no system 'q'; the study has s0, s1, s2, s3, s4, s5, s6, s7, \.\.\.$"):
        check_known("system", ["q"], [f"s{k}" for k in range(9)])
    with pytest.raises(UsageError, match="no criterion 'q'; the study has none"):
        check_known("criterion", ["q"], [])
