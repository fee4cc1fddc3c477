"""The command `tiebreak`: runs the commands, and turns errors into messages and exit codes.

Exit 0: done. 1: bad input. 2: used wrongly. 3: what --fail-unless asks for is not shown. 4: done in part. 130:
interrupted. 141: the reader of a pipe has left. Errors go to stderr, without a traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from tiebreak.errors import InputError, TiebreakError, UsageError

_INTERRUPTED: Final = 128 + 2  # as shells say it
_CLOSED_PIPE: Final = 128 + 13


def run() -> None:
    """Entry point of the console script."""
    try:
        code = _run_commands()
        sys.stdout.flush()  # a reader who has left is noticed here, not while the interpreter closes
    except BrokenPipeError:  # `tiebreak ... | head`: the reader has seen enough
        code = _leave_closed_pipe()
    sys.exit(code)


def _run_commands() -> int:
    """Run what the arguments say; the exit code."""
    try:
        from tiebreak.cli.commands import app  # here, as somebody may press ctrl-C while it loads

        app(prog_name="tiebreak")  # also for `python -m tiebreak`: completion and usage are about this name
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # rich and typer leave with 1, the code for bad input
            raise left.__context__ from None
        return left.code if isinstance(left.code, int) else 0
    except UsageError as error:
        return _failed(str(error), 2)
    except InputError as error:
        count = error.total
        return _failed(f"{count:,} problem{'s' if count != 1 else ''} in the input; nothing was changed.\n{error}", 1)
    except TiebreakError as error:
        return _failed(str(error), 1)
    except KeyboardInterrupt:  # while the commands load; once one runs, typer leaves in the same way
        return _INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:  # a folder that may not be written, a full disk
        return _failed(f"{error.filename or 'standard output'}: {error.strerror or error}", 1)
    return 0


def _failed(message: str, code: int) -> int:
    from tiebreak.cli.terminal import console_for_messages

    console_for_messages().say_each(f"tiebreak: {message}".split("\n"), hanging=2)
    return code


def _leave_closed_pipe() -> int:
    """What is still buffered goes nowhere: the interpreter would complain when it flushes it on the way out."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return _CLOSED_PIPE
