"""Text that is no UTF-8: whether it is surely in the encoding of Western Europe, and else what it is likely in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_HIGH: Final = re.compile(rb"[\x80-\xff]+")
_CYRILLIC: Final = re.compile(rb"[\xa8\xb8\xc0-\xff]+")
_LETTERS: Final = "äöüßÄÖÜéèêëÉÈÊËàâáãåæÀÂÁÃÅÆçÇîïíìÎÏÍÌôóòõøœÔÓÒÕØŒûùúÛÙÚñÑÿ"
_SIGNS: Final = "\xa0–—…‘’‚“”„«»€£§°·•¿¡©®™´¨ª¹²³ºµ¼½¾×÷±"
_SIGN_IN_A_WORD: Final = re.compile(rf"(?<=\w)[^\x00-\x7f{_LETTERS}‘’´·…–—](?=\w)")
_CAPITALS: Final = "".join(letter for letter in _LETTERS if letter.isupper())
_NO_WORD: Final = re.compile(
    rf"[{_LETTERS}]{{3}}|(?<![a-zA-Z{_LETTERS}])[{_LETTERS}]{{2}}(?![a-zA-Z])|[a-z{_LETTERS}](?<![{_CAPITALS}])[{_CAPITALS}]"
)
"""Three letters beyond ASCII in a row, two by themselves, or a capital after a small one: bytes of another encoding."""

_UNKNOWN: Final = (
    ", and what it is cannot be told. Save it as 'CSV UTF-8' in the program that wrote it, or run, with its encoding "
    "(WINDOWS-1250 for Polish or Czech, WINDOWS-1254 for Turkish, MACINTOSH of old): "
    "iconv -f ENCODING -t UTF-8 FILE > NEW"
)
_DAMAGED: Final = (
    ", though other characters of the file are: it is damaged, or put together of two files. Save it again as 'CSV "
    "UTF-8'"
)


def western_text(content: bytes) -> str | None:
    """The text, if it is surely in Windows-1252, which Excel writes as CSV in Western Europe: every character beyond
    ASCII is one of its languages, they stand in words and signs do not, and no piece is UTF-8.
    """
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return None
    beyond = {char for char in text if char > "\x7f"}
    if "\x00" in text or not beyond <= set(_LETTERS + _SIGNS) or _has_utf8(content):
        return None
    return None if _SIGN_IN_A_WORD.search(text) or _NO_WORD.search(text) else text


def what_it_may_be(content: bytes) -> str:
    """The end of a sentence on text that is no UTF-8: what it is likely in, and what to do."""
    found = _likely(content)
    if found is None:
        return _DAMAGED if _has_utf8(content) else _UNKNOWN
    name, language = found
    return (
        f"; it is probably {name} ({language}). In Excel save the file as 'CSV UTF-8', or run: "
        f"iconv -f {name} -t UTF-8 FILE > NEW"
    )


def _likely(content: bytes) -> tuple[str, str] | None:
    """The name that iconv has for the encoding, and its language."""
    runs = _HIGH.findall(content)
    if all(map(_CYRILLIC.fullmatch, runs)) and sum(map(len, runs)) > 2 * len(runs):
        return "WINDOWS-1251", "Cyrillic"
    if _is_mostly(content, "cp932", lambda char: "\u3040" <= char <= "\u30ff", 0.2):
        return "CP932", "Japanese"
    if _is_mostly(content, "cp949", lambda char: "\uac00" <= char <= "\ud7a3", 0.9):
        return "CP949", "Korean"
    for encoding, name in (("gb2312", "GB18030"), ("big5", "BIG5"), ("gb18030", "GB18030")):
        if _is_mostly(content, encoding, lambda char: "\u4e00" <= char <= "\u9fff", 0.6):
            return name, "Chinese"
    return None


def _is_mostly(content: bytes, encoding: str, wanted: Callable[[str], bool], share: float) -> bool:
    """Whether so many of the characters beyond ASCII are wanted ones, and these more than a few letters in words."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return False
    beyond = [char for char in text if char > "\x7f"]
    within = len(re.findall(r"[a-zA-Z][^\x00-\x7f][a-z]", text))
    return sum(map(wanted, beyond)) >= share * len(beyond) and within < len(beyond) / 2


def _has_utf8(content: bytes) -> bool:
    """Whether some bytes beyond ASCII are UTF-8."""
    for run in _HIGH.findall(content):
        try:
            run.decode("utf-8")
        except UnicodeDecodeError:
            continue
        return True
    return False
