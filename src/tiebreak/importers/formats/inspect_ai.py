"""Inspect: logs of evaluations (`.eval`, JSON)."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import BinaryIO, Final

from tiebreak.errors import ExtraMissingError, InputError, Problem
from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, is_there, objects, points, says, systems_of, text
from tiebreak.tabular.documents import dialogue, document_of, messages_in, text_of
from tiebreak.tabular.source import Place, Record, Source, Sources

_WORDS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "YES": 1.0, "TRUE": 1.0, "NO": 0.0, "FALSE": 0.0}
_LARGEST: Final = 100_000_000
_INFLATED: Final = 200
"""Bytes of a member, and how many for each packed one, beyond which it is no log of texts."""
_ZSTANDARD: Final = 93
_LOCAL_HEADER: Final = struct.Struct("<26x2H")
_ATTACHMENT: Final = re.compile("attachment://([a-f0-9]{32})")


def _fits(source: Source) -> bool:
    if source.is_zip:
        return source.path.suffix == ".eval"
    return is_there(source.document, "eval.model") and is_there(source.document, "samples")


def _read(sources: Sources) -> Entries:
    logs = [(source.file, *_log(source)) for source in sources]
    runs = [(text(header, "eval.task"), text(header, "eval.model")) for _, header, _ in logs]
    tasks = {task for task, _ in runs}
    epochs = {text(sample, "epoch") for _, _, samples in logs for sample in samples}
    systems = systems_of(runs, [file for file, *_ in logs])
    for (file, header, samples), system in zip(logs, systems, strict=True):
        task = f"{text(header, 'eval.task')}/" if len(tasks) > 1 else ""
        for line, sample in enumerate(samples, 1):
            own = task + text(sample, "id")
            # Another epoch is the same question, asked again.
            about = {"item": f"{own}/{text(sample, 'epoch')}", "cluster": own} if len(epochs) > 1 else {"item": own}
            yield from _sample(sample, about | {"system": system}, Place(file, line, "record"))


def _log(source: Source) -> tuple[object, list[Record]]:
    """The header of a log, and its samples."""
    if not source.is_zip:
        return source.document, objects(source.document, "samples")
    try:
        with zipfile.ZipFile(source.path) as archive, source.path.open("rb") as stream:
            members = {info.filename: info for info in archive.infolist()}
            if "header.json" not in members:
                raise InputError([Problem(source.file, "this log has no header: the evaluation has not ended")])
            names = ("header.json", *(name for name in members if name.startswith("samples/")))
            read = [document_of(_member(stream, archive, members[name]), f"{source.file}: {name}") for name in names]
    except (zipfile.BadZipFile, OSError, struct.error, zlib.error, EOFError, RuntimeError) as error:
        raise InputError([Problem(source.file, f"this log is damaged: {error}")]) from error
    return read[0], objects(read[1:])


def _member(stream: BinaryIO, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The content of a member, also one by Zstandard, which Python reads from 3.14 on."""
    if info.file_size > _LARGEST and info.file_size > _INFLATED * info.compress_size:
        raise zipfile.BadZipFile(f"{info.filename} inflates to {info.file_size:,} bytes")
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    try:
        import zstandard
    except ImportError as error:
        raise ExtraMissingError("reading .eval files", "zstandard", "import") from error
    stream.seek(info.header_offset)
    stream.seek(sum(_LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))), 1)
    try:
        whole = zstandard.ZstdDecompressor().stream_reader(stream.read(info.compress_size), read_across_frames=True)
        return whole.read(info.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{info.filename}: {error}") from error


def _sample(sample: Record, about: dict[str, str], place: Place) -> Entries:
    def whole(value: object) -> str:
        """A text, the parts of one, or a conversation; long ones lie among the attachments."""
        if messages := messages_in(value):
            value = dialogue(messages)
        elif isinstance(value, list):
            value = "\n".join(text(part, "text") or text_of(part) for part in value)
        return _ATTACHMENT.sub(lambda match: text(sample, f"attachments.{match[1]}") or match[0], text_of(value))

    target = at(sample, "target")
    yield says(
        place, **about, input=whole(at(sample, "input")),
        reference=[whole(grade) for grade in (target if isinstance(target, list) else [target])],
        text=whole(at(sample, "output.completion") or at(sample, "output.choices.0.message.content")),
    )  # fmt: skip
    scores = at(sample, "scores") or {"score": at(sample, "score")}  # one, in logs of version 1
    for name, score in scores.items() if isinstance(scores, Mapping) else ():
        value = at(score, "value")
        for part, grade in value.items() if isinstance(value, Mapping) else (("", value),):
            points_of_part = points(_WORDS.get(grade.upper(), grade) if isinstance(grade, str) else grade)
            yield says(place, **about, metric=f"{name}.{part}" if part else name, score=points_of_part)


FORMAT: Final = Format("inspect", "Inspect logs", _fits, _read)
