"""All commands of `tiebreak`: where each is defined, and its line in the list. A command loads when it is called."""

from __future__ import annotations

from typing import Annotated, ClassVar

import typer

from tiebreak.cli.help_page import Entry, Group
from tiebreak.version import __version__


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
        "plot": Entry("tiebreak.cli.plot:plot_command", "Draw one picture of a result."),
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
