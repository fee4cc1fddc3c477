"""Every task that was handed out, and what became of it: the details that the campaign's state need not keep."""

from __future__ import annotations

from dataclasses import dataclass, field

from tiebreak.campaign.events import Event, LabelGiven, TaskAssigned, TaskReturned


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """`label`: the answer that counts, which is the first; `returned`: the task came back without one before that."""

    assigned: TaskAssigned
    label: LabelGiven | None = None
    returned: TaskReturned | None = None

    @property
    def is_open(self) -> bool:
        """Somebody has it and has not answered."""
        return self.label is None and self.returned is None


@dataclass(slots=True)
class Ledger:
    """All tasks by id, in the order in which they were handed out."""

    tasks: dict[str, TaskRecord] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Take in the next event of the log; one that names an unknown task is left to the campaign to refuse."""
        if isinstance(event, TaskAssigned):
            self.tasks[event.task] = TaskRecord(event)
        elif isinstance(event, LabelGiven | TaskReturned) and event.task in self.tasks:
            known = self.tasks[event.task]
            if isinstance(event, LabelGiven):
                if known.label is None:
                    self.tasks[event.task] = TaskRecord(known.assigned, event, known.returned)
            elif known.is_open:
                self.tasks[event.task] = TaskRecord(known.assigned, None, event)

    def open_tasks(self, annotator: str) -> tuple[TaskAssigned, ...]:
        """What this person has not answered yet, oldest first."""
        return tuple(
            record.assigned
            for record in self.tasks.values()
            if record.is_open and record.assigned.annotator == annotator
        )
