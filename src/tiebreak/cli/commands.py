"""All commands of `tiebreak`: where each is defined, its line in the list, and how help is laid out.

A command loads when it is called.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import typer
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from tiebreak.cli.terminal import Name, Words, console_for_results
from tiebreak.version import __version__


def help_of(command: Callable[..., object]) -> str:
    """The docstring with each paragraph on one line; blank lines part paragraphs, as they do there."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


Row = tuple[str, str]

_OPTIONS: Final = "Options"
_STATED_DEFAULT: Final = re.compile(r"default: \((.*)\)(?=[;\]])")  # typer puts a default in words into brackets


class Command(TyperCommand):
    """A command whose help is never cropped."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print it; see `show_help`."""
        show_help(self, ctx)


class Entry(NamedTuple):
    """A command or a group: where its function is (`module:name`), and what it does, for the list of commands."""

    place: str
    words: str

    def load(self) -> Any:
        """The function of a command, or the class of a group."""
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)


class _Loaded(Mapping[str, Any]):
    """Commands by name, each loaded when somebody asks for it: one command needs no other's modules."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries

    def __getitem__(self, name: str) -> Any:
        loaded = self._entries[name].load()
        if isinstance(loaded, type):
            return loaded(name=name, help=self._entries[name].words, no_args_is_help=True)
        app = typer.Typer(add_completion=False)
        app.command(name, help=help_of(loaded), cls=Command)(loaded)
        return typer.main.get_command(app)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Group(TyperGroup):
    """A group of commands, its `entries`, whose help is never cropped."""

    entries: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Loaded(self.entries)  # type: ignore[assignment]  # typer only reads it

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print it; see `show_help`."""
        show_help(self, ctx)


def show_help(command: TyperCommand | TyperGroup, ctx: Any) -> None:
    """Print usage, what the command does, and its arguments, options and commands, a section each."""
    console = console_for_results()
    usage = " ".join([ctx.command_path, *map(_usage_piece, command.collect_usage_pieces(ctx))])
    console.say(Text.assemble(("Usage: ", "bold"), usage), hanging=4)
    for paragraph in (command.help or "").split("\n\n"):
        console.say()
        console.say(" ".join(paragraph.split()))
    for title, rows in _sections(command, ctx).items():
        console.heading(title)
        console.table([Name(""), Words("")], [(Text(name, style="cyan"), text) for name, text in rows], indent=2)


def _sections(command: TyperCommand | TyperGroup, ctx: Any) -> dict[str, list[Row]]:
    """Rows by the titles of their sections: arguments, options without a section of their own, other options,
    commands."""
    found: dict[str, list[Row]] = {"Arguments": [], _OPTIONS: []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            usual = "Arguments" if parameter.param_type_name == "argument" else _OPTIONS
            title = getattr(parameter, "rich_help_panel", None) or usual
            found.setdefault(title, []).append((_names(record[0]), _text(record[1])))
    if isinstance(command, Group):
        found["Commands"] = [(name, entry.words) for name, entry in command.entries.items()]
    return {title: rows for title, rows in found.items() if rows}


def _usage_piece(piece: str) -> str:
    """An argument without the braces that typer puts around one that is required, and with three dots at most."""
    return re.sub(r"^\{(.*)\}", r"\1", piece).replace("......", "...")


def _names(record: str) -> str:
    """The names of an option and what stands for its value; choices are told, types go without saying."""
    return re.sub(r" ?<([^>]*)>", lambda told: f" {told[1]}" if "|" in told[1] else "", record)


def _text(record: str) -> str:
    """What an option means, with its default."""
    return " ".join(_STATED_DEFAULT.sub(r"default: \1", record.replace("\\[", "[")).split())


class ProlificGroup(Group):
    """`tiebreak campaign prolific`."""

    entries: ClassVar = {
        "create": Entry("tiebreak.cli.campaign.prolific:create_command", "Make a study on Prolific, as a draft."),
        "grow": Entry("tiebreak.cli.campaign.prolific:grow_command", "Recruit more people."),
        "stop": Entry("tiebreak.cli.campaign.prolific:stop_command", "Recruit nobody any more."),
        "pay": Entry("tiebreak.cli.campaign.prolific:pay_command", "Write whom to approve, and bonuses."),
    }


class CampaignGroup(Group):
    """`tiebreak campaign`."""

    entries: ClassVar = {
        "create": Entry("tiebreak.cli.campaign.create:create_command", "Begin a campaign, and fix its protocol."),
        "demo": Entry("tiebreak.cli.campaign.serve:demo_command", "Watch simulated annotators label in a browser."),
        "serve": Entry("tiebreak.cli.campaign.serve:serve_command", "Let people label in a browser."),
        "sheet": Entry("tiebreak.cli.campaign.sheet:sheet_command", "Hand out tasks to a person as a spreadsheet."),
        "collect": Entry("tiebreak.cli.campaign.sheet:collect_command", "Take in the answers of spreadsheets."),
        "status": Entry("tiebreak.cli.campaign.status:status_command", "Show verdicts, labels, money and people."),
        "invite": Entry("tiebreak.cli.campaign.serve:invite_command", "Make a link to the pages of a campaign."),
        "revoke": Entry("tiebreak.cli.campaign.serve:revoke_command", "Let nobody in by a link any more."),
        "prolific": Entry("tiebreak.cli.commands:ProlificGroup", "Recruit and pay people of Prolific."),
        "pause": Entry("tiebreak.cli.campaign.serve:pause_command", "Give nobody a task until --go-on."),
        "price": Entry("tiebreak.cli.campaign.changes:price_command", "Change what labels to come cost."),
        "exclude": Entry("tiebreak.cli.campaign.changes:exclude_command", "Give a person no more tasks, for good."),
        "withdraw": Entry("tiebreak.cli.campaign.changes:withdraw_command", "Take back labels that were a mistake."),
        "stop": Entry("tiebreak.cli.campaign.changes:stop_command", "End the campaign, for good."),
        "export": Entry("tiebreak.cli.campaign.status:export_command", "Write the labels as a study."),
        "log": Entry("tiebreak.cli.campaign.changes:log_command", "Print the events, and check that none was changed."),
        "backup": Entry("tiebreak.cli.campaign.changes:backup_command", "Copy a campaign into a new folder."),
        "erase": Entry("tiebreak.cli.campaign.changes:erase_command", "Delete the texts that a person wrote."),
    }


class EvaluatorGroup(Group):
    """`tiebreak evaluator`."""

    entries: ClassVar = {
        "train": Entry("tiebreak.cli.evaluator.commands:train_command", "Train an evaluator on studies."),
        "judge": Entry("tiebreak.cli.evaluator.commands:judge_command", "Judge every pair of outputs of a study."),
        "score": Entry("tiebreak.cli.evaluator.commands:score_command", "Score the outputs of a study."),
        "follow": Entry("tiebreak.cli.evaluator.commands:follow_command", "Say whether a training should stop."),
        "choose": Entry("tiebreak.cli.evaluator.commands:choose_command", "Name the best of several trainings."),
    }


class TiebreakGroup(Group):
    """`tiebreak`."""

    entries: ClassVar = {
        "demo": Entry("tiebreak.cli.demo:demo_command", "Compare four systems whose truth is known."),
        "check": Entry("tiebreak.cli.check:check_command", "Say what a study holds, and what looks wrong."),
        "compare": Entry("tiebreak.cli.compare:compare_command", "Decide which system is better, for every pair."),
        "watch": Entry("tiebreak.cli.watch:watch_command", "Compare while labels keep coming."),
        "estimate": Entry("tiebreak.cli.estimate:estimate_command", "Estimate the mean rating of every system."),
        "rank": Entry("tiebreak.cli.rank:rank_command", "Make a leaderboard of many systems."),
        "audit": Entry("tiebreak.cli.audit:audit_command", "Say how wrong a metric or judge is."),
        "annotators": Entry("tiebreak.cli.annotators:annotators_command", "Say how far annotators agree."),
        "report": Entry("tiebreak.cli.report:report_command", "Write the verdicts and pictures as an HTML page."),
        "plot": Entry("tiebreak.cli.report:plot_command", "Draw one picture of a result."),
        "score": Entry("tiebreak.cli.score:score_command", "Add scores of metrics and answers of judges to a study."),
        "pair": Entry("tiebreak.cli.pair:pair_command", "Pair the outputs of systems that have no inputs."),
        "plan": Entry("tiebreak.cli.plan:plan_command", "Say how many labels a comparison will take."),
        "simulate": Entry("tiebreak.cli.simulate:simulate_command", "Run a campaign many times before you pay for it."),
        "import": Entry("tiebreak.cli.import_:import_command", "Turn files into a study folder."),
        "add": Entry("tiebreak.cli.add:add_command", "Add outputs, labels, scores or judgements to a study."),
        "campaign": Entry("tiebreak.cli.commands:CampaignGroup", "Collect labels until every pair is decided."),
        "evaluator": Entry("tiebreak.cli.commands:EvaluatorGroup", "Train a model that compares outputs, and use it."),
    }


app = typer.Typer(
    name="tiebreak",
    cls=TiebreakGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},  # for every command and group below, too
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Decides which text-generation system is better with as few human labels as possible.\n\n"
    "Start with: tiebreak demo",
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tiebreak {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of every command."""
