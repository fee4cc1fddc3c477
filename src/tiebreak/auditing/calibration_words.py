"""What a judge's probabilities are worth, in sentences."""

from __future__ import annotations

from tiebreak.auditing.calibration import Calibration, Reliability
from tiebreak.auditing.words import number_words, share_words
from tiebreak.results.numbers import counted, number, plain


def calibration_words(found: Calibration) -> tuple[str, ...]:
    """How sure it is beside how often people agree, and its scores."""
    replies = "1 reply" if found.replies == 1 else f"{found.replies:,} replies"
    if found.stated is None:
        return (f"It states them in {replies}, none of them beside human labels.",)
    said = f"Its likeliest outcome has the probability {number(found.stated)} in the mean, and people name it on "
    of = f"of {counted(found.comparisons, 'comparison')}"
    words = [f"{said}{share_words(found.agrees)} {of}: difference {number_words(found.excess)}."]
    scores = f"Brier score {number_words(found.brier)}; the shares of people's outcomes alone would get "
    scores += f"{number(found.brier_of_shares or 0.0)}. "
    if found.impossible:
        called = f"it called what people said impossible on {counted(found.impossible, 'comparison')}"
        words.append(f"{scores}Log loss: infinite, as {called}.")
    else:
        words.append(
            f"{scores}Log loss {number_words(found.log_loss)}, and {number(found.log_loss_of_shares or 0.0)}. "
            "The lower the better."
        )
    if found.scaled:
        words.append(f"In {found.scaled:,} of {replies} they were not 1 in all, and were scaled.")
    return tuple(words)


def bin_words(of: Reliability) -> str:
    """A bin of the table of reliability: "0.6 to 0.7"."""
    return f"below {plain(of.high)}" if not of.low else f"{plain(of.low)} to {plain(of.high)}"
