"""XML as a stream of tags, without the parts of XML that no workbook has and that make small files large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn
from xml.parsers import expat

from tiebreak.tabular.xlsx.damage import SAVE_AGAIN, WorkbookError

Attributes = Mapping[str, str]


def stream(
    pieces: Iterable[bytes],
    part: str,
    *,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None],
    text: Callable[[str], None] | None = None,
) -> None:
    """Call these for each tag and text; tags come without the prefix that the first of them has, if it has one.
    `part`: its name, for messages.

    Raises:
        WorkbookError: no well-formed XML, or XML with declarations of its own.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def first(name: str, attributes: Attributes) -> None:
        prefix = name.rpartition(":")[0] + ":" if ":" in name else ""
        plain = not prefix  # without a function between the parser and ours reading takes half the time
        parser.StartElementHandler = start if plain else lambda tag, found: start(tag.removeprefix(prefix), found)
        parser.EndElementHandler = end if plain else lambda tag: end(tag.removeprefix(prefix))
        start(name.removeprefix(prefix), attributes)

    parser.StartElementHandler = first
    parser.StartDoctypeDeclHandler = lambda *_: _refuse(part)
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        why = expat.ErrorString(error.code)
        message = f"its part {part} is damaged ({why}, line {error.lineno}, character {error.offset + 1})"
        raise WorkbookError(f"{message}; {SAVE_AGAIN}") from error
    except (LookupError, ValueError) as error:  # an encoding that Python does not know either
        raise WorkbookError(f"its part {part} is damaged ({error}); {SAVE_AGAIN}") from error


def attribute(attributes: Attributes, name: str) -> str | None:
    """An attribute whatever its prefix: `id` of `r:id`."""
    if name in attributes:
        return attributes[name]
    return next((value for key, value in attributes.items() if key.rpartition(":")[2] == name), None)


def _refuse(part: str) -> NoReturn:
    raise WorkbookError(f"its part {part} declares XML entities, which no workbook does; {SAVE_AGAIN}")
