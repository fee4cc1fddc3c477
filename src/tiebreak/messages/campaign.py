"""A campaign in a few sentences: how far it is, what was spent, what is still to go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import about_labels, counted, money, some_names
from tiebreak.records import Notice
from tiebreak.results.progress import CampaignProgress
from tiebreak.results.records import PaperSentence

PAIRS_LEFT_OUT: Final = NoticeKind(
    "pairs-left-out",
    "nobody can be asked about a pair, or a pair joined and no alpha is left for it",
    "run the missing system on the same items, or begin another study",
)
CHANGED: Final = NoticeKind(
    "evidence-changed",
    "items were withdrawn, or labels, outputs or clusters that a look saw have changed; what was seen stays evidence",
    "report it with the verdict; begin another study for new texts or clusters",
)
KINDS: Final = (PAIRS_LEFT_OUT, CHANGED)

BEFORE_THE_LOOK: Final = PaperSentence(
    "Nothing to report: this campaign looks once, when every pair has all its items, and has not come to that look."
)
"""In place of a sentence for a paper."""


def left_out_notice(left_out: Sequence[tuple[tuple[str, ...], str]]) -> tuple[Notice, ...]:
    """The pairs, or single systems, about which nobody can be asked, and why; none, where there are none."""
    if not left_out:
        return ()
    parts = []
    for reason in dict.fromkeys(why for _, why in left_out):
        names = [" and ".join(systems) for systems, why in left_out if why == reason]
        parts.append(f"{some_names(names)} ({reason})")
    counts = {noun: sum(len(of) == size for of, _ in left_out) for noun, size in (("system", 1), ("pair", 2))}
    what = " and ".join(counted(count, noun) for noun, count in counts.items() if count)
    return (PAIRS_LEFT_OUT.notice(f"{what} left out: {'; '.join(parts)}.", pairs=[[*of, why] for of, why in left_out]),)


WithdrawnItem = tuple[tuple[str, ...], str, str, str]
"""The systems that were asked about, the item, when it was withdrawn, and why."""


def withdrawn_notice(items: Sequence[WithdrawnItem]) -> tuple[Notice, ...]:
    """That somebody took items back, where "when" is "running", "decided" (after the pair's verdict) or "over" (after
    the campaign's end); none, where nothing was.
    """
    if not items:
        return ()
    before, after = ([of for of in items if (of[2] == "over") == over] for over in (False, True))
    sentences = []
    if before:
        one = len(before) == 1
        sentences.append(
            f"{_which(before)} withdrawn: {'it counts' if one else 'they count'} against either side, and no label of "
            f"{'it' if one else 'them'} counts."
        )
        late = sum(of[2] == "decided" for of in before)
        if late:
            which = "That" if one else f"{late:,} of them"
            was = "was" if late == 1 else "were"
            sentences.append(
                f"{which} {was} after the verdict on {'its' if late == 1 else 'their'} pair, which stands."
            )
    if after:
        what = "what was evidence then still counts, and no verdict changes"
        sentences.append(f"{_which(after)} withdrawn after the end of the campaign: {what}.")
    reasons = list(dict.fromkeys(why for *_, why in items if why))  # an export need not tell them
    if reasons:
        sentences.append(f"{'Reason' if len(reasons) == 1 else 'Reasons'}: {some_names(reasons)}.")
    details = [
        named_systems(systems) | {"item": item, "when": when, "reason": why} for systems, item, when, why in items
    ]
    return (CHANGED.notice(" ".join(sentences), items=details),)


def named_systems(systems: Sequence[str]) -> dict[str, object]:
    """For programs: a pair by system_a and system_b, a system that was rated by system, several by systems."""
    if len(systems) > 2:
        return {"systems": list(systems)}
    return dict(zip(("system_a", "system_b") if len(systems) > 1 else ("system",), systems, strict=True))


def _which(items: Sequence[WithdrawnItem]) -> str:
    """ "3 items (ant and bee 2, ant and cat 1) were"."""
    asked = Counter(systems for systems, *_ in items)
    where = some_names([f"{' and '.join(systems)} {count:,}" for systems, count in asked.items()])
    return f"{counted(len(items), 'item')} ({where}) {'was' if len(items) == 1 else 'were'}"


def standing_words(progress: CampaignProgress) -> str:
    """Whether it runs or why it is over, and its labels."""
    labels = account_words(progress)
    if progress.ended_because is None:
        stands = "paused" if progress.paused else "running"
        return f"The campaign is {stands}: {labels} so far, {counted(progress.labels_out, 'task')} out with people."
    why = f" ({progress.stop_reason})" if progress.stop_reason else ""
    return f"The campaign is over: {progress.ended_because}{why}. {labels}."


def account_words(progress: CampaignProgress) -> str:
    """What became of the labels, which are all paid: "65 labels (5 in evidence, 60 too late to count)"."""
    labels = counted(progress.labels, "label")
    if progress.labels == progress.labels_in_evidence:
        return labels
    parts = [f"{progress.labels_in_evidence:,} in evidence"]
    parts += [
        f"{count:,} {what}"
        for count, what in (
            (progress.labels_waiting, "waiting" if progress.ended is None else "still waiting at the end"),
            (progress.late, "too late to count"),
            (progress.labels_withdrawn, "withdrawn"),
            (progress.labels_set_aside, "set aside"),
            (progress.checks, "on check tasks"),
        )
        if count
    ]
    return f"{labels} ({', '.join(parts)})"


def headline_words(progress: CampaignProgress, pairs: int, undecided: int) -> str:
    """The same with the pairs that are decided, in one line."""
    return f"{standing_words(progress)[:-1]}; {pairs - undecided:,} of {counted(pairs, 'pair')} decided."


def spending_words(progress: CampaignProgress, undecided: int, stays: str = "the shares stay") -> list[str]:
    """Labels and money: paid, waiting, left, and projected; a sentence each. `stays`: what a projection supposes."""
    parts = [f"Spent: {counted(progress.labels, 'label')}"]
    if progress.cost is not None:
        parts.append(money(progress.cost, progress.currency))
    if progress.labels_left is not None:
        parts.append(f"the budget leaves {counted(progress.labels_left, 'label')}")
    sentences = [", ".join(parts) + "."]
    if progress.labels_waiting:
        sentences.append(_waiting_words(progress.labels_waiting, over=progress.ended is not None))
        if progress.ended is None and progress.people:
            sentences.append(_who_holds_up(progress))
    if progress.ended is None and undecided:
        sentences += _to_go(progress, stays)
    return sentences


def _to_go(progress: CampaignProgress, stays: str) -> list[str]:
    """What all undecided pairs need together, as far as it can be told."""
    if progress.labels_to_decision == 0:
        return ["To go: the answers that wait are about enough, once they are evidence (a projection, not a promise)."]
    if progress.labels_to_decision is not None:
        need = about_labels(progress.labels_to_decision, progress.cost_to_decision, progress.currency)
        return [f"To go: about {need} for an 80% chance, if {stays} as they are (a projection, not a promise)."]
    if progress.beyond is not None:
        return [f"To go: with the {progress.beyond} left not all pairs are likely to be decided (a projection)."]
    return []


def _waiting_words(labels: int, *, over: bool) -> str:
    """Labels that are no evidence, because others must come first."""
    one = labels == 1
    if over:
        waited = f"{counted(labels, 'label')} still waited for others at the end"
        return f"{waited}, and {'is' if one else 'are'} no evidence."
    waiting = (
        f"{counted(labels, 'label')} {'waits' if one else 'wait'} for other answers, which come earlier in the order"
    )
    return f"{waiting} or on the same item or cluster: {'it becomes' if one else 'they become'} evidence with those."


def _who_holds_up(progress: CampaignProgress) -> str:
    """Whose open tasks the labels wait for, most first, and what to do."""
    holding = sorted((of for of in progress.people if of.is_waited_for), key=lambda of: (-of.holds_up, of.annotator))
    if not holding:
        return "Nobody has those before them now: the next tasks ask for them."
    names = some_names([f"{of.annotator} with {counted(of.holds_up, 'open task')}" for of in holding])
    return f"What holds them up: {names}. What stays out far longer than usual goes to somebody else."


def price_words(changed: bool, most: int | None, labels: int) -> str:
    """What a new price means. `most`: labels that the budget pays for in all, None for no limit; `labels`: so far."""
    if not changed:
        return "It was so already."
    left = "" if most is None else f" The budget pays for {counted(max(0, most - labels), 'more label')}."
    return f"Tasks are paid at this price from now on.{left}"


def exclusion_words(progress: CampaignProgress) -> list[str]:
    """One line for each person who gets no more tasks."""
    return [
        f"{person.annotator} gets no more tasks"
        + (f": {person.why_excluded}" if person.why_excluded else "")
        + ("; the labels that they gave stay" if person.labels else "")
        for person in progress.people
        if person.excluded
    ]
