"""Collects what annotators read in a browser, and compiles its translations.

    python benchmarks/translations.py --write

New messages are added to every `tiebreak.po` without a translation, old ones are taken out. Translate those that are
empty, and run it again: `tests/web/test_language.py` fails where anything is left.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

import tiebreak
from tiebreak.campaign import Protocol
from tiebreak.campaign.kinds import LABEL_KINDS, Phrase
from tiebreak.live.task_view import EMPTY
from tiebreak.live.texts import GIVEN
from tiebreak.settings.protocol import LABEL_KINDS as WORDS
from tiebreak.web.forms import SKIP_REASONS
from tiebreak.web.site import DOMAIN, LOCALE

SOURCE = Path(tiebreak.__file__).parent
ENGLISH_ONLY = {"owner.html"}
_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "Phrase": None}


def _fixed_words() -> Iterator[str]:
    """What templates show by a name: words that are no literals there."""
    yield from (*SKIP_REASONS.values(), *GIVEN, EMPTY, *(kind.question for kind in WORDS.values()))
    for kind in LABEL_KINDS.values():
        yield from kind.text_names(1)
        for field in kind.fields(Protocol(), outputs=1, passages=1):
            yield from (field.name, *field.choices)


def messages() -> Catalog:
    """All messages, without translations."""
    found = Catalog()
    for path in sorted(SOURCE.glob("web/templates/**/*.html")):
        if path.name not in ENGLISH_ONLY:
            _add(found, path, babel_extract)
    for path in sorted([*SOURCE.glob("web/*.py"), *SOURCE.glob("campaign/kinds/*.py")]):
        _add(found, path, "python")
    for words in _fixed_words():
        if not isinstance(words, Phrase) and not words.isdigit():
            found.add(words)
    return found


def _add(found: Catalog, path: Path, method: object) -> None:
    for _, message, _, _ in extract_from_file(method, path, keywords=_KEYWORDS):
        found.add(message, locations=[(path.relative_to(SOURCE).as_posix(), None)])


def catalogues() -> dict[Path, Catalog]:
    """The translations as they stand, by file."""
    found = {}
    for path in sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        with path.open("rb") as file:
            found[path] = read_po(file, locale=path.parts[-3])
    return found


def updated(translations: Catalog) -> Catalog:
    """With all messages and no others."""
    created = translations.creation_date
    translations.update(messages(), no_fuzzy_matching=True)
    translations.creation_date = created
    translations.obsolete.clear()
    return translations


def main() -> None:
    """Say what is not translated, and write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files")
    write = parser.parse_args().write
    for path, translations in catalogues().items():
        updated(translations)
        missing = [message.id for message in translations if message.id and not message.string]
        sys.stdout.write("".join(f"{path.parts[-3]}: not translated: {of}\n" for of in missing))
        if write:
            text, compiled = io.BytesIO(), io.BytesIO()
            write_po(text, translations, width=120, sort_output=True)
            write_mo(compiled, translations)
            path.write_bytes(text.getvalue())
            path.with_suffix(".mo").write_bytes(compiled.getvalue())


if __name__ == "__main__":
    main()
