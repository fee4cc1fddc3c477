"""The sample campaign that labels itself comes to the end that the demo's truth has."""

from __future__ import annotations

from pathlib import Path

from tiebreak.demo.campaign import SimulatedAnnotators, create_demo_campaign
from tiebreak.live.result import result_of


def test_simulated_annotators_find_the_truth_however_they_are_stopped(tmp_path: Path) -> None:
    create_demo_campaign(tmp_path / "camp")
    interrupted = SimulatedAnnotators(tmp_path / "camp")
    interrupted.start()
    interrupted.stop()
    people = SimulatedAnnotators(tmp_path / "camp", wait=lambda _: True)
    people.work()
    state = people.campaign.state
    assert state.ended is not None
    verdicts = {(pair.system_a, pair.system_b): pair.verdict for pair in result_of(people.campaign).results[0].pairs}
    for better, worse in (("cedar", "birch"), ("cedar", "aspen"), ("cedar", "maple")):
        assert verdicts[min(better, worse), max(better, worse)] == ("a" if better < worse else "b")
    assert verdicts["aspen", "maple"] == "undecided", "they are equally good"
    evidence = sum(track.done_labels for track in state.tracks)
    assert evidence >= 0.97 * state.labels, "one task at a time: nearly every label is evidence"
