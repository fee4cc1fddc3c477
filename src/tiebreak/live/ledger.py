"""Every task that was handed out, and what became of it; who was excluded, what was withdrawn, who stopped the
campaign, and why: the details that the campaign's state need not keep.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from tiebreak.campaign.events import (
    AnnotatorExcluded,
    AnnotatorJoined,
    AnnotatorLeft,
    AnswerHeld,
    AnswerUndone,
    CampaignStopped,
    CrowdStudy,
    Event,
    ItemWithdrawn,
    LabelGiven,
    LinkIssued,
    LinkRevoked,
    OwnerTold,
    Role,
    TaskAssigned,
    TaskReturned,
    TutorialAnswered,
)


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """`label`: the answer that counts, which is the first; `late`: it came when it could be evidence no more;
    `set_aside`: it does not count; `returned`: the task came back without an answer before that. `held`: an answer that
    may still be taken back, and is a label soon.
    """

    assigned: TaskAssigned
    label: LabelGiven | None = None
    returned: TaskReturned | None = None
    late: bool = False
    set_aside: bool = False
    held: AnswerHeld | None = None

    @property
    def answer(self) -> LabelGiven | None:
        """What its annotator answered, taken back no more or not."""
        return self.label or self.held

    @property
    def item(self) -> tuple[str, ...]:
        """What was asked: of one system or two, on an item."""
        return (*self.assigned.systems, self.assigned.item)

    @property
    def counts(self) -> bool:
        """Whether its answer came in time, and was not set aside."""
        return not self.late and not self.set_aside

    @property
    def is_check(self) -> bool:
        """Whether the answer was known."""
        return self.assigned.gold

    @property
    def is_open(self) -> bool:
        """Somebody has it and has not answered."""
        return self.answer is None and self.returned is None


When = Literal["running", "decided", "over"]
"""How far the pair of an item was when that was withdrawn: `running`, `decided` already, or the campaign `over`."""


@dataclass(frozen=True, slots=True)
class WithdrawnItem:
    """The event, and how far its pair was `when` it came. After the end it takes nothing from the evidence."""

    event: ItemWithdrawn
    when: When


@dataclass(slots=True)
class Link:
    """A link to the pages of a campaign: as it was `issued`, who `joined` by it, and whether it still works."""

    issued: LinkIssued
    joined: list[str] = field(default_factory=list)
    revoked: bool = False

    def opens(self, role: Role) -> bool:
        """Whether it works, and opens the pages of these people."""
        return self.issued.role == role and not self.revoked

    @property
    def is_full(self) -> bool:
        """Whether nobody else can join by it."""
        return len(self.joined) >= self.issued.most


@dataclass(slots=True)
class TaskLedger:
    """All tasks by id, in the order of handing out, and the ids of those with an answer, as the answers came.

    `excluded`: people who were excluded by hand (not by their check tasks), by name; `stopped`: the end by hand. Of
    repeated events the first is kept. Where the campaign had ended by itself, `stopped` means nothing. `withdrawn`: by
    systems and item. `clock`: where times run backwards, because a clock was set back or two computers disagree; the
    order is that of the log, whatever times say. `links`: by what a link is recognised by. `held`: by annotator, the
    answer that they may still take back. `tutorials`: by annotator and question, whether it was right. `crowd_ids`:
    from what a platform for crowds calls people to their names here. `visits`: by person, how they came last. `left`:
    who has not come back since the platform said that they are gone, and `notices` by which it did.
    `crowd_study`: as it was noted last. `owner_told`: the message that all is over was sent.
    """

    tasks: dict[str, TaskRecord] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    excluded: dict[str, AnnotatorExcluded] = field(default_factory=dict)
    stopped: CampaignStopped | None = None
    withdrawn: dict[tuple[str, ...], WithdrawnItem] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    held: dict[str, AnswerHeld] = field(default_factory=dict)
    tutorials: dict[str, dict[int, bool]] = field(default_factory=dict)
    crowd_ids: dict[str, str] = field(default_factory=dict)
    visits: dict[str, AnnotatorJoined] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    notices: set[str] = field(default_factory=set)
    crowd_study: CrowdStudy | None = None
    owner_told: bool = False
    _open: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, event: Event, *, late: bool = False, set_aside: bool = False, when: When = "running") -> None:
        """Take in the next event of the log, which fits the campaign. `late`, `set_aside`: of a label, that it is no
        evidence; `when`: of a withdrawal, how far its pair was.
        """
        if isinstance(event, TaskAssigned):
            self._hand_out(event)
        elif isinstance(event, AnnotatorExcluded):
            self.excluded.setdefault(event.annotator, event)
        elif isinstance(event, CampaignStopped):
            self.stopped = self.stopped or event
        elif isinstance(event, OwnerTold):
            self.owner_told = True
        elif isinstance(event, ItemWithdrawn):
            self._withdraw(event, when)
        elif isinstance(event, AnswerHeld):
            self.held[event.annotator] = event
            self._close(self.tasks[event.task])
            self.tasks[event.task] = replace(self.tasks[event.task], held=event)
        elif isinstance(event, AnswerUndone):
            del self.held[event.annotator]
            self._open[event.annotator] = {event.task: None} | self._open[event.annotator]
            self.tasks[event.task] = replace(self.tasks[event.task], held=None)
        elif isinstance(event, TutorialAnswered):
            self.tutorials.setdefault(event.annotator, {}).setdefault(event.question, event.right)
        elif isinstance(event, LinkIssued):
            self.links.setdefault(event.link, Link(event))
        elif isinstance(event, LinkRevoked) and event.link in self.links:
            self.links[event.link].revoked = True
        elif isinstance(event, AnnotatorJoined) and event.link in self.links:
            if event.crowd_id is not None:
                self.crowd_ids.setdefault(event.crowd_id, event.annotator)
            self.visits[event.annotator] = event
            self.left.discard(event.annotator)
            joined = self.links[event.link].joined
            joined += [] if event.annotator in joined else [event.annotator]
        elif isinstance(event, AnnotatorLeft):
            self.left.add(event.annotator)
            self.notices.add(event.notice)
        elif isinstance(event, CrowdStudy):
            self.crowd_study = event
        elif isinstance(event, LabelGiven | TaskReturned):
            known = self.tasks.get(event.task)
            if known is None:
                return
            self._close(known)
            if isinstance(event, TaskReturned):
                self.tasks[event.task] = replace(known, returned=event) if known.is_open else known
            elif known.label is None:
                held = self.held.get(event.annotator)
                if held is not None and held.task == event.task:
                    del self.held[event.annotator]
                self.tasks[event.task] = TaskRecord(known.assigned, event, known.returned, late, set_aside)
                self.answered.append(event.task)

    def _close(self, record: TaskRecord) -> None:
        """A task that nobody has before them any more."""
        self._open[record.assigned.annotator].pop(record.assigned.task, None)

    def _hand_out(self, event: TaskAssigned) -> None:
        """A task, or one that came back unanswered, which is out again."""
        known = self.tasks.get(event.task)
        open_ones = self._open.setdefault(event.annotator, {})
        if known is None:
            self.tasks[event.task] = TaskRecord(event)
            open_ones[event.task] = None
        elif known.returned is not None and known.label is None and event.at != known.assigned.at:
            self.tasks[event.task] = replace(known, assigned=event, returned=None)
            open_ones[event.task] = None

    def _withdraw(self, event: ItemWithdrawn, when: When) -> None:
        """Tasks that are out on the item come back, while the campaign runs."""
        item = (*event.systems, event.item)
        if item in self.withdrawn:
            return
        self.withdrawn[item] = WithdrawnItem(event, when)
        if when == "over":
            return
        for task, record in self.tasks.items():
            if record.is_open and not record.is_check and record.item == item:
                self._close(record)
                self.tasks[task] = replace(record, returned=TaskReturned(event.at, task, "its item was withdrawn"))

    def is_withdrawn(self, record: TaskRecord) -> bool:
        """Whether the item of a task is."""
        return not record.is_check and record.item in self.withdrawn

    def counts_no_more(self, record: TaskRecord) -> bool:
        """Whether an answer is no evidence because its item was withdrawn before the end."""
        return self.is_withdrawn(record) and self.withdrawn[record.item].when != "over"

    @property
    def labelled(self) -> tuple[TaskRecord, ...]:
        """Tasks with an answer, in the order in which the answers came."""
        return tuple(self.tasks[task] for task in self.answered)

    def open_tasks(self, annotator: str) -> tuple[TaskAssigned, ...]:
        """What this person has not answered yet, oldest first."""
        known = [self.tasks[task] for task in self._open.get(annotator, ())]
        return tuple(record.assigned for record in known if record.is_open)
