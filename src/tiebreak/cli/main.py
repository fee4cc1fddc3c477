"""The command `tiebreak`: runs the commands, and turns errors into messages and exit codes.

Exit 0: done. 1: bad input. 2: used wrongly. 130: interrupted. Errors go to stderr, without a traceback.
"""

from __future__ import annotations

import sys
from typing import Final

from tiebreak.errors import InputError, TiebreakError, UsageError

_INTERRUPTED: Final = 128 + 2  # as shells say it


def run() -> None:
    """Entry point of the console script."""
    try:
        from tiebreak.cli.commands import app  # here, as somebody may press ctrl-C while it loads

        app()
    except UsageError as error:
        _fail(str(error), 2)
    except InputError as error:
        count = error.total
        _fail(f"{count:,} problem{'s' if count != 1 else ''} in the input; nothing was changed.\n{error}", 1)
    except TiebreakError as error:
        _fail(str(error), 1)
    except KeyboardInterrupt:  # while the commands load; once one runs, typer leaves in the same way
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:  # `tiebreak ... | head`: the reader has seen enough
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:  # a folder that may not be written, a full disk
        _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error), 1)


def _fail(message: str, code: int) -> None:
    sys.stderr.write(f"tiebreak: {message}\n")
    sys.exit(code)
