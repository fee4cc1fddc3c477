"""The batches of both providers, beside what `ModelServer` plays: files, lists in pages, results; and a bill."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.scoring.judges.model_server import Call, Model, QuietServer, honest, written

PAGE = 2
"""Batches in a page of a list: few, so that more than one is needed."""

Lines = list[dict[str, Any]]


@dataclass
class Batch:
    """A batch that was handed in: its requests, by name; `status` as OpenAI says it; results once it has ended."""

    name: str
    requests: dict[str, dict[str, Any]]
    metadata: dict[str, str]
    made: float
    anthropic: bool
    status: str = "in_progress"
    done: dict[str, dict[str, Any]] = field(default_factory=dict)


class BatchServer:
    """A server whose batches end when a test says so. `paid` counts how often each prompt was answered, and with it
    billed, directly or in a batch. `before`, `after`: called with a number and the path of every request, before
    anything happens and when it has, but before the server says so.
    """

    def __init__(self, model: Model = honest) -> None:
        self.model = model
        self.paid: Counter[str] = Counter()
        self.paid_in_batches: Counter[str] = Counter()
        self.batches: list[Batch] = []
        self.files: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.lock = threading.RLock()
        self.before: Callable[[int, str], None] = nothing
        self.after: Callable[[int, str], None] = nothing
        self.refuses_batches = False
        self.server = QuietServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def say(self, body: Mapping[str, Any], *, anthropic: bool) -> tuple[int, dict[str, Any]]:
        """One reply, and its place on the bill."""
        call = Call(sum(self.paid.values()), body, {})
        said = self.model(call)
        if said.error is not None:
            return said.status, {"error": dict(said.error)}
        self.paid[f"{call.prompt} {call.most_tokens}"] += 1
        return 200, written("/messages" if anthropic else "/chat/completions", body, said)

    def end(self, status: str = "completed", only: int | None = None) -> None:
        """Make the calls of all batches that have not ended, or the first so many of them."""
        with self.lock:
            for batch in self.batches:
                if batch.status != "in_progress":
                    continue
                for name, body in list(batch.requests.items())[:only]:
                    code, reply = self.say(body, anthropic=batch.anthropic)
                    self.paid_in_batches[json.dumps(body["messages"])] += 1
                    batch.done[name] = {"code": code, "reply": reply}
                batch.status = status

    def add(self, requests: dict[str, dict[str, Any]], metadata: dict[str, str], *, anthropic: bool) -> Batch:
        """A batch that somebody handed in."""
        batch = Batch(f"batch_{len(self.batches)}", requests, metadata, time.time(), anthropic)
        self.batches.insert(0, batch)  # the newest come first
        return batch

    def respond(
        self, method: str, path: str, query: Mapping[str, list[str]], body: bytes, kind: str
    ) -> tuple[int, Any]:
        """Status and JSON (or bytes) for a request."""
        found = re.fullmatch(r"(?:/v1)?/(?P<rest>.*)", path)
        assert found
        rest, anthropic = found["rest"], "messages" in path
        if rest in ("chat/completions", "messages"):
            return self.say(json.loads(body), anthropic=anthropic)
        if rest == "files":
            return 200, self._upload(body, kind)
        if rest.startswith("files/"):
            return 200, self.files[rest.split("/")[1]]
        if method == "POST" and self.refuses_batches:
            return 400, {"error": {"message": "no batches today"}}
        if method == "POST":
            return 200, self._shown(self._handed_in(json.loads(body), anthropic=anthropic))
        name = rest.removeprefix("messages/").removeprefix("batches").strip("/")
        if not name:
            return 200, self._page([batch for batch in self.batches if batch.anthropic == anthropic], query)
        batch = next(batch for batch in self.batches if batch.name == name.removesuffix("/results"))
        return 200, self._results(batch) if name.endswith("/results") else self._shown(batch)

    def _upload(self, body: bytes, kind: str) -> dict[str, Any]:
        message = BytesParser(policy=HTTP).parsebytes(f"content-type: {kind}\r\n\r\n".encode() + body)
        (content,) = [part.get_payload(decode=True) for part in message.iter_parts() if part.get_filename()]
        name = f"file_{len(self.files)}"
        self.files[name] = bytes(content)
        return {"id": name, "object": "file", "bytes": len(content), "created_at": 1, "filename": "x",
                "purpose": "batch", "status": "processed"}  # fmt: skip

    def _handed_in(self, told: Mapping[str, Any], *, anthropic: bool) -> Batch:
        if anthropic:
            return self.add({one["custom_id"]: one["params"] for one in told["requests"]}, {}, anthropic=True)
        lines = [json.loads(line) for line in self.files[told["input_file_id"]].splitlines()]
        requests = {line["custom_id"]: line["body"] for line in lines}
        return self.add(requests, told.get("metadata") or {}, anthropic=False)

    def _page(self, batches: list[Batch], query: Mapping[str, list[str]]) -> dict[str, Any]:
        after = (query.get("after") or query.get("after_id") or [""])[0]
        names = [batch.name for batch in batches]
        start = names.index(after) + 1 if after else 0
        page = batches[start : start + PAGE]
        return {"object": "list", "data": [self._shown(batch) for batch in page],
                "has_more": start + PAGE < len(batches), "first_id": page[0].name if page else None,
                "last_id": page[-1].name if page else None}  # fmt: skip

    def _shown(self, batch: Batch) -> dict[str, Any]:
        done, ended = len(batch.done), batch.status != "in_progress"
        if batch.anthropic:
            left = 0 if ended else len(batch.requests)
            counts = {"processing": left, "succeeded": done if ended else 0, "errored": 0, "canceled": 0,
                      "expired": len(batch.requests) - done if ended else 0}  # fmt: skip
            made = datetime.fromtimestamp(batch.made, UTC).isoformat()
            return {"id": batch.name, "type": "message_batch", "created_at": made, "expires_at": made,
                    "processing_status": "ended" if ended else "in_progress", "request_counts": counts,
                    "results_url": f"{self.address}/v1/messages/batches/{batch.name}/results" if ended else None,
                    "archived_at": None, "cancel_initiated_at": None, "ended_at": None}  # fmt: skip
        files = {}
        if ended:
            good = [line for line in self._lines(batch) if (line["response"] or {}).get("status_code") == 200]
            bad = [line for line in self._lines(batch) if line not in good]
            for which, lines in (("output_file_id", good), ("error_file_id", bad)):
                if lines:
                    files[which] = f"{which}_{batch.name}"
                    self.files[files[which]] = "\n".join(map(json.dumps, lines)).encode()
        errors = {"data": [{"message": "the file is empty", "code": "x"}]} if batch.status == "failed" else None
        return {"id": batch.name, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h",
                "input_file_id": "x", "status": batch.status, "created_at": int(batch.made), "errors": errors,
                "metadata": batch.metadata, **files,
                "request_counts": {"total": len(batch.requests), "completed": done, "failed": 0}}  # fmt: skip

    def _lines(self, batch: Batch) -> Lines:
        lines: Lines = []
        for name in reversed(batch.requests):  # results come in any order
            found = batch.done.get(name)
            response = None if found is None else {"status_code": found["code"], "body": found["reply"]}
            error = {"code": "batch_expired", "message": "never made"} if found is None else None
            lines.append({"id": "x", "custom_id": name, "response": response, "error": error})
        return lines

    def _results(self, batch: Batch) -> bytes:
        lines = []
        for name in reversed(batch.requests):
            found = batch.done.get(name)
            result: dict[str, Any] = {"type": "expired"}
            if found is not None and found["code"] == 200:
                result = {"type": "succeeded", "message": found["reply"]}
            elif found is not None:
                result = {"type": "errored", "error": {"type": "error", **found["reply"]}}
            lines.append(json.dumps({"custom_id": name, "result": result}))
        return "\n".join(lines).encode()


def nothing(number: int, path: str) -> None:
    """What happens at request `number`, unless a test wants more."""
    del number, path


@contextmanager
def batch_serving(model: Model = honest) -> Iterator[BatchServer]:
    """A server for as long as the block runs."""
    server = BatchServer(model)
    try:
        yield server
    finally:
        server.close()


def _handler(of: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.respond("POST", self.rfile.read(int(self.headers["content-length"])))

        def do_GET(self) -> None:
            self.respond("GET", b"")

        def respond(self, method: str, body: bytes) -> None:
            parts = urlsplit(self.path)
            with of.lock:
                number = len(of.requests)
                of.requests.append(f"{method} {parts.path}")
                of.before(number, of.requests[number])
                status, found = of.respond(
                    method, parts.path, parse_qs(parts.query), body, self.headers.get("content-type", "")
                )
                of.after(number, of.requests[number])
            content = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(status)
            self.send_header(
                "content-type", "application/json" if not isinstance(found, bytes) else "application/binary"
            )
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
