"""Every task that was handed out, and what became of it; who was excluded and who stopped the campaign, and why: the
details that the campaign's state need not keep.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tiebreak.campaign.events import AnnotatorExcluded, CampaignStopped, Event, LabelGiven, TaskAssigned, TaskReturned


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """`label`: the answer that counts, which is the first; `late`: it came when it could be evidence no more;
    `returned`: the task came back without an answer before that.
    """

    assigned: TaskAssigned
    label: LabelGiven | None = None
    returned: TaskReturned | None = None
    late: bool = False

    @property
    def is_open(self) -> bool:
        """Somebody has it and has not answered."""
        return self.label is None and self.returned is None


@dataclass(slots=True)
class Ledger:
    """All tasks by id, in the order of handing out, and the ids of those with an answer, as the answers came.

    `excluded`: people who were excluded by hand (not by their check tasks), by name; `stopped`: the end by hand. Of
    repeated events the first is kept. Where the campaign had ended by itself, `stopped` means nothing.
    """

    tasks: dict[str, TaskRecord] = field(default_factory=dict)
    answered: list[str] = field(default_factory=list)
    excluded: dict[str, AnnotatorExcluded] = field(default_factory=dict)
    stopped: CampaignStopped | None = None

    def add(self, event: Event, *, late: bool = False) -> None:
        """Take in the next event of the log, which fits the campaign. `late`: of a label, that it is no evidence."""
        if isinstance(event, TaskAssigned):
            self.tasks.setdefault(event.task, TaskRecord(event))
        elif isinstance(event, AnnotatorExcluded):
            self.excluded.setdefault(event.annotator, event)
        elif isinstance(event, CampaignStopped):
            self.stopped = self.stopped or event
        elif isinstance(event, LabelGiven | TaskReturned):
            known = self.tasks.get(event.task)
            if known is None:
                return
            if isinstance(event, TaskReturned):
                self.tasks[event.task] = replace(known, returned=event) if known.is_open else known
            elif known.label is None:
                self.tasks[event.task] = replace(known, label=event, late=late)
                self.answered.append(event.task)

    @property
    def labelled(self) -> tuple[TaskRecord, ...]:
        """Tasks with an answer, in the order in which the answers came."""
        return tuple(self.tasks[task] for task in self.answered)

    def open_tasks(self, annotator: str) -> tuple[TaskAssigned, ...]:
        """What this person has not answered yet, oldest first."""
        return tuple(
            record.assigned
            for record in self.tasks.values()
            if record.is_open and record.assigned.annotator == annotator
        )
