"""After each event: evidence advances over complete units, pairs are decided, and perhaps the campaign ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from tiebreak.campaign.marks import Marks, counts, known_marks, unit_marks, unit_value, written
from tiebreak.campaign.openings import affordable_labels, allowance, opening
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.campaign.state import EndReason, OpenUnit, PairState, State, with_item, without
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.records import Verdict


def settle(state: State, touched: Iterable[int], at: str) -> State:
    """Let the evidence of the touched pairs advance, give verdicts, and see whether the campaign is over.

    One label may complete several units, if those after it came early. A verdict is looked for after each of them, so
    that it does not depend on the order in which labels came. Nothing moves once the campaign is over.
    """
    for _, grown in growth(state, touched):
        state = grown
    return with_end(state, at)


def growth(state: State, touched: Iterable[int]) -> Iterator[tuple[int, State]]:
    """The number of a pair and the state after each unit that its labels complete, or to the verdict that ends all."""
    if state.ended is not None:
        return
    for k in touched:
        while (pair := _advanced(state, k)) is not None:
            grown = state._replace(pairs=with_item(state.pairs, k, pair))
            state = _with_verdicts(grown, k)
            yield k, state
            if state is not grown and not _wanted_pairs(state):
                break


def with_end(state: State, at: str) -> State:
    """The state, over if nothing is left to be asked."""
    ended = None if state.ended is not None else _end_reason(state)
    return state if ended is None else state._replace(ended=ended, ended_at=at)


def _advanced(state: State, k: int) -> PairState | None:
    """The pair with its next unit done, or None if that is not complete: what came early waits for what is still out.

    (Labels in order of arrival would not be a random sample of the order: losses may take longer to judge than wins.)
    """
    plan, pair = state.plan.pairs[k], state.pairs[k]
    if pair.done >= plan.most_units:
        return None
    items = pair.open.get(pair.done)
    if items is None:
        if not plan.is_known(pair.done):
            return None
        marks = known_marks(plan.items(pair.done).size)
    elif any(item.missing for item in items):
        return None
    else:
        marks = unit_marks(items, state.protocol)
    rule = STOPPING_RULES[state.protocol.decision.rule]
    evidence = rule.advance(state.plan.rule_plans[k], pair.evidence, unit_value(marks))
    return _counted(pair, evidence, items, marks)


def _counted(pair: PairState, evidence: object, items: OpenUnit | None, marks: Marks) -> PairState:
    """The pair with its next unit done, and the evidence after it."""
    wins, ties, losses, abandoned = counts(marks)
    return pair._replace(
        evidence=evidence,
        marks=pair.marks + written(marks),
        done=pair.done + 1,
        next=max(pair.next, pair.done + 1),
        open=pair.open if items is None else without(pair.open, pair.done),
        done_labels=pair.done_labels + sum(item.counted for item in items or ()),
        wins=pair.wins + wins,
        ties=pair.ties + ties,
        losses=pair.losses + losses,
        abandoned=pair.abandoned + abandoned,
    )


def _with_verdicts(state: State, changed: int) -> State:
    """New verdicts after the evidence of one pair has grown; a reached verdict stands."""
    rule = STOPPING_RULES[state.protocol.decision.rule]
    evidence = [pair.evidence for pair in state.pairs]
    found = rule.decide(state.plan.rule_plans, evidence, state.protocol.decision, changed)
    news = {k: verdict for k, verdict in found.items() if state.pairs[k].verdict == "undecided"}
    if not news:
        return state
    pairs = tuple(_decided(pair, news[k]) if k in news else pair for k, pair in enumerate(state.pairs))
    return state._replace(pairs=pairs)


def _decided(pair: PairState, verdict: Verdict) -> PairState:
    return pair._replace(verdict=verdict, decided_at=pair.done, decided_labels=pair.done_labels)


def _wanted_pairs(state: State) -> list[int]:
    return PAIR_POLICIES[state.protocol.pairs.pair_policy].wanted_pairs(state)


def _end_reason(state: State) -> EndReason | None:
    wanted = _wanted_pairs(state)
    if not wanted:
        return "decided"
    if all(state.pairs[k].done >= state.plan.pairs[k].most_units for k in wanted):
        return "items"
    if state.tasks or affordable_labels(state) == math.inf:
        return None  # (with every task back in, the first incomplete item of a pair can be asked about)
    left = allowance(state, wanted)
    return None if any(opening(state, k, None, left) is not None for k in wanted) else "budget"
