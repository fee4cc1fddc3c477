"""One campaign has one verdict: `status`, `report`, `compare CAMPAIGN` and `compare EXPORT` agree in everything."""

from __future__ import annotations

import copyreg
import json
import math
import pickle
import re
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cli.campaign_commands import ok
from tests.places.random_campaigns import random_campaign

from tiebreak.campaign import CampaignPlan, Protocol
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.live import LiveCampaign, result_of
from tiebreak.live import result as live_result
from tiebreak.live.answers import new_names
from tiebreak.live.export import write_export
from tiebreak.messages.verdicts import missing_words, too_few_words, verdict_words
from tiebreak.numbers import number
from tiebreak.places import place_at, result_at
from tiebreak.report.document import render
from tiebreak.report.view import criterion_views
from tiebreak.results.records import CompareResult, PairResult
from tiebreak.rules.registry import RULES

CAMPAIGNS = 110
CPU_SECONDS = 60
"""For all of them. Measured: 58 with the start of pytest, at a load of 7 on two cores, which lengthens CPU time too."""
Document = dict[str, Any]


def with_names(document: Document, names: dict[str, str], *, remarks: bool) -> Document:
    """The document of a campaign as its export has it: people by other names, and reasons left out."""
    document = json.loads(json.dumps(document))
    campaign = document["campaign"]
    for person in campaign["people"]:
        person["annotator"] = names.get(person["annotator"], person["annotator"])
        if not remarks and person["why_excluded"] == "has left":
            person["why_excluded"] = ""
    campaign["people"].sort(key=lambda person: person["annotator"])
    told = json.dumps(document["warnings"], ensure_ascii=False)
    document["warnings"] = json.loads(re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), told))
    if not remarks:
        for notice in document["warnings"]:
            notice["text"] = notice["text"].removesuffix(" Reason: a wrong key.")
            for item in notice.get("items", []) if notice["code"] == "evidence-changed" else []:
                item["reason"] = ""
    if not remarks and campaign["stop_reason"] is not None:
        campaign["stop_reason"] = ""
    for result in document["results"]:
        result["annotators"] = sorted(names.get(name, name) for name in result["annotators"])
    return document


def check_report(result: CompareResult) -> None:
    """The page shows the numbers of the result."""
    (view,) = criterion_views(result)
    told = [pair.winner_first() for pair in result.results[0].pairs]
    pairs = {(pair.system_a, pair.system_b): pair for pair in told}
    for shown in view.pairs:
        pair = pairs[shown.system_a, shown.system_b]
        gap = pair.difference
        assert shown.words == verdict_words(pair, result.terms.margin, str(result.study["currency"]))
        known = too_few_words([pair]) if gap.estimate is None else number(gap.estimate)
        assert shown.difference.lstrip("+").replace("−", "-") == known
        ends = [end.lstrip("+").replace("−", "-") for end in shown.interval.split(" to ")]
        assert ends == [number(gap.low), number(gap.high)]
        assert (shown.items, shown.labels, shown.wins, shown.ties, shown.losses) == (
            pair.items, pair.labels, pair.wins, pair.ties, pair.losses,
        )  # fmt: skip


def check_curves(one: CompareResult, other: CompareResult) -> None:
    for pair, again in zip(one.results[0].pairs, other.results[0].pairs, strict=True):
        assert (pair.curve is None) == (again.curve is None) == (one.terms.rule not in ("anytime",))
        if pair.curve is None or again.curve is None:
            continue
        assert pair.curve.stopped_at == pair.stopped_at
        assert (pair.curve.items[-1], pair.curve.labels[-1]) == (pair.items, pair.labels)
        for name in ("items", "labels", "log_e_a", "log_e_b"):
            assert np.array_equal(getattr(pair.curve, name), getattr(again.curve, name))
        if pair.stopped_at is not None and pair.winner is not None:
            side = pair.curve.log_e_a if pair.verdict == "a" else pair.curve.log_e_b
            at = int(np.searchsorted(pair.curve.items, pair.stopped_at))
            # Holm's threshold may have fallen by another pair's verdict, after this pair was at its largest.
            assert side[: at + 1].max() >= pair.curve.log_threshold - 1e-9


def check_one(live: LiveCampaign, folder: Path, place: int) -> CompareResult:
    status = result_of(live, with_curves=False)
    document = status.to_dict()
    json.dumps(document, allow_nan=False)
    relayed = result_at(live.folder)
    assert relayed.to_dict() == document
    check_report(relayed)
    check_counts(status)
    export = folder / "export" / live.folder.name
    keep_names, comments = bool(place % 2), bool(place % 3)
    kind = ("csv", "jsonl", "parquet")[place % 3]
    try:
        write_export(live, export, format=kind, keep_names=keep_names, comments=comments)  # type: ignore[arg-type]
    except TiebreakError:
        assert not live.ledger.labelled
        return status
    assert (place_at(live.folder).kind, place_at(export).kind) == ("campaign", "export")
    again = result_at(export)
    names = {} if keep_names else new_names(live.events())
    assert with_names(again.to_dict(), {}, remarks=True) == with_names(document, names, remarks=comments)
    check_curves(relayed, again)
    if not keep_names:
        written = b"".join(path.read_bytes() for path in export.rglob("*") if path.is_file() and kind != "parquet")
        assert b"zoe" not in written.replace(b"hm, zoe?", b"")
        assert comments or b"hm, zoe?" not in written
    return status


def check_counts(status: CompareResult) -> None:
    """Every label is evidence, waits, or came too late."""
    campaign = status.campaign
    evidence = sum(pair.labels for pair in status.results[0].pairs)
    assert campaign.labels_in_evidence == evidence
    withdrawn = campaign.labels_withdrawn
    assert campaign.labels == evidence + campaign.labels_waiting + campaign.late + campaign.checks + withdrawn
    for pair in status.results[0].pairs:
        assert (pair.difference.estimate is None) == (pair.units < 10)
        check_projection(pair, status)


def check_projection(pair: PairResult, status: CompareResult) -> None:
    """Nothing is promised that is not left, and no rule has an end in sight, or none, that it knows nothing of."""
    campaign = status.campaign
    left = math.inf if campaign.labels_left is None else campaign.labels_left
    for labels in (pair.labels_to_decision, campaign.labels_to_decision):
        assert labels is None or labels <= left
    if pair.verdict == "undecided":
        words = missing_words(pair)
        assert words
        assert ("campaign is over" in words or "items" in words) or campaign.ended is None
        assert status.terms.rule in ("anytime",) or "no end in sight" not in words
    gap = pair.difference
    assert ("interval-contains-zero" in pair.flags) == (pair.winner is not None and gap.low < 0 < gap.high)


def of_equal_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, asked once for arguments that are written alike."""
    known: dict[bytes, Any] = {}

    def found(*arguments: object) -> object:
        written = BytesIO()
        pickler = pickle.Pickler(written)
        pickler.dispatch_table = copyreg.dispatch_table | {MappingProxyType: lambda proxy: (dict, (dict(proxy),))}
        pickler.dump(arguments)
        key = written.getvalue()
        if key not in known:
            known[key] = function(*arguments)
        return known[key]

    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies of one study in 300 campaigns are read once, the same labels are looked over once, a protocol gets one
    plan for tables that are equal row by row, the same evidence one summary, and nothing waits for the disk.

    Each log is still replayed by whoever opens it: what is shared are functions of values that are the same to the bit.
    """
    known: dict[bytes, Study] = {}

    def read(folder: Path) -> Study:
        content = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
        if content not in known:
            known[content] = read_study(folder)
        return known[content]

    looked_over, found = live_result._looked_over, {}

    def look_over(campaign: LiveCampaign, labels: pl.DataFrame | None) -> object:
        rows = () if labels is None else tuple(labels.rows())
        key = (campaign.state.plan.fingerprint, campaign.state.plan.study, rows)
        if key not in found:
            found[key] = looked_over(campaign, labels)
        return found[key]

    make_plan = import_module("tiebreak.campaign.make_plan")  # (the package has a function of this name)
    planned, plans = make_plan.plan_again, {}

    def plan_once(protocol: Protocol, study: Study, askable: None = None) -> CampaignPlan:
        assert askable is None
        key = (protocol, tuple((name, *frame.columns, *frame.rows()) for name, frame in study.tables.items()))
        if key not in plans:
            plans[key] = planned(protocol, study)
        return plans[key]

    for rule in RULES.values():
        monkeypatch.setattr(type(rule), "summary", of_equal_values(type(rule).summary))
    monkeypatch.setattr(make_plan, "plan_again", plan_once)
    monkeypatch.setattr("tiebreak.campaign.state.plan_again", plan_once)
    monkeypatch.setattr(live_result, "_looked_over", look_over)
    monkeypatch.setattr("tiebreak.live.folder.read_study", read)
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.mark.usefixtures("quick")
def test_random_campaigns_have_one_verdict(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    begun = time.process_time()
    for place in range(CAMPAIGNS):
        folder = tmp_path / str(place)
        live = random_campaign(place, folder / "campaign", tmp_path / "studies")
        status = check_one(live, folder, place)
        campaign, terms = status.campaign, status.terms
        seen.update([terms.rule, terms.several, terms.target, terms.multiplicity, str(campaign.ended)])
        seen.update(pair.verdict for pair in status.results[0].pairs)
        seen["late"] += campaign.late > 0
        seen["withdrawn"] += campaign.labels_withdrawn > 0
        seen["waiting"] += campaign.labels_waiting > 0
        seen["excluded"] += any(person.excluded for person in campaign.people)
        seen["clusters"] += status.results[0].pairs[0].clusters is not None
        seen["several systems"] += terms.family > 1
        seen["margin"] += terms.margin is not None
        seen["only pairs"] += bool(terms.only_pairs)
    kinds = (
        "anytime fixed hoeffding dirichlet one majority max-three inputs items holm bonferroni fdr none a b "
        "undecided decided stopped None late withdrawn waiting excluded clusters margin"
    )
    rare = {name: seen[name] for name in kinds.split() if seen[name] < 5}
    more = ("several systems", "only pairs")
    rare |= {name: seen[name] for name in more if seen[name] < 5}
    assert not rare, "the random campaigns no longer show what they are for"
    assert time.process_time() - begun < CPU_SECONDS


@pytest.mark.parametrize("seed", [1000 + k for k in range(8)])
def test_the_commands_agree(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    live = next(
        found
        for k in range(50)
        if (found := random_campaign(seed + 100 * k, tmp_path / f"c{k}", tmp_path / "studies")).state.labels
    )
    name = live.folder.name
    status = json.loads(ok(f"tiebreak campaign status {name} --json"))
    assert json.loads(ok(f"tiebreak compare {name} --json")) == status
    ok(f"tiebreak campaign export {name} -o e/{name} --keep-names --comments")
    relayed = json.loads(ok(f"tiebreak compare e/{name} --json"))
    assert with_names(relayed, {}, remarks=True) == with_names(status, {}, remarks=True)
    ok(f"tiebreak report {name} -o a.html")
    ok(f"tiebreak report e/{name} -o b.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page == render(result_of(live))
    assert page == (tmp_path / "b.html").read_text(encoding="utf-8")
    shown = ok(f"tiebreak campaign status {name}")
    for pair in status["results"][0]["pairs"]:
        if pair["verdict"] in ("a", "b"):
            better, worse = (pair[key] for key in ("system_a", "system_b")[:: 1 if pair["verdict"] == "a" else -1])
            assert f"{better} > {worse}" in shown
            assert f"{better} is better" in page
