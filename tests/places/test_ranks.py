"""Leaderboards of what lies at a path: a study has one, labels of campaigns and looks only as an own analysis."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.places.test_result import AT, protocol_of, stopped_early, study_of
from tests.ranking.ranked_studies import judged

from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.export import write_export
from tiebreak.places.estimates import rank_at
from tiebreak.results.rank_settings import RankSettings


def test_a_study(tmp_path: Path) -> None:
    write_study(judged(items=20), tmp_path / "study")
    found = rank_at(tmp_path / "study", RankSettings(anchor="bee"))
    assert found.own_analysis is None
    assert found.results[0].davidson.systems[0].system == "ant"
    with pytest.raises(UsageError, match="--own-analysis is for a campaign, its export or a watched study"):
        rank_at(tmp_path / "study", own_analysis=True)
    with pytest.raises(InputError, match="no such folder"):
        rank_at(tmp_path / "nothing")


def test_a_campaign_and_its_export_need_an_own_analysis(tmp_path: Path) -> None:
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: stopped_early(state))
    write_export(live, tmp_path / "out")
    for path, what in ((tmp_path / "camp", "a campaign"), (tmp_path / "out", "the export of a campaign")):
        with pytest.raises(UsageError, match=f"is {what}: the number of labels was chosen by looking at them"):
            rank_at(path)
        found = rank_at(path, own_analysis=True)
        assert found.own_analysis is not None
        assert sum(pair.games for pair in found.results[0].pairs) == 5  # the late labels are left out
        assert "labels-left-out" in {notice.code for notice in found.warnings}
