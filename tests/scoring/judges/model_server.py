"""A real HTTP server that plays the providers: chat completions, messages, and both of their batches.

What a model says is a function from a `Call` to a `Say`, so that a test can make it slow, rude, broken or biased.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN_BYTES = 4


@dataclass(frozen=True)
class Call:
    """A request for one reply: its number from 0, the JSON that was sent, and the headers."""

    number: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def prompt(self) -> str:
        """Everything that the model reads."""
        return "\n".join([self.body.get("system") or "", *(part["content"] for part in self.body["messages"])])

    def shown(self, name: str) -> str:
        """The text that stands between the fences of this name."""
        found = re.search(rf"<{name}-([0-9a-f]+)>\n(.*?)\n</{name}-\1>", self.prompt, re.DOTALL)
        assert found, self.prompt
        return found[2]

    @property
    def most_tokens(self) -> int:
        """How many tokens the reply may have."""
        return int(self.body.get("max_completion_tokens") or self.body.get("max_tokens") or 10**9)

    def in_form(self, label: str) -> str:
        """An answer as it was asked for: JSON where that is forced, else double brackets."""
        forced = "response_format" in self.body or "output_config" in self.body
        return json.dumps({"answer": label}) if forced else f"Thinking ... [[{label}]]"


@dataclass(frozen=True)
class Say:
    """A reply. `error`: the JSON of an error with this `status`; `raw`: bytes instead of any JSON; `cut`: bytes after
    which the connection is closed; `wait` seconds first.
    """

    text: str = ""
    status: int = 200
    stop: str = "stop"
    error: Mapping[str, Any] | None = None
    raw: bytes | None = None
    cut: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    logprobs: list[dict[str, Any]] | None = None
    refusal: str | None = None
    written: int | None = None
    usage: bool = True


Model = Callable[[Call], Say]
KEY = "sk-secret-0123456789abcdefghijklmnop"


def quality(text: str) -> int:
    """The number in a text such as "quality 7"."""
    return int(re.findall(r"-?\d+", text)[-1])


def honest(call: Call) -> Say:
    """Prefers the text with the greater number, wherever it stands."""
    first, second = quality(call.shown("first")), quality(call.shown("second"))
    return Say(call.in_form("A" if first > second else "B" if second > first else "C"))


def factual(call: Call) -> Say:
    """Prefers the text that has more of the values of the input, `name: value | name: value`; grades by their share."""
    values = [part.rpartition(": ")[2] for part in call.shown("input").split(" | ")]

    def share(name: str) -> float:
        return sum(value in call.shown(name) for value in values) / len(values)

    if "<output-" in call.prompt:
        return Say(call.in_form(str(1 + round(4 * share("output")))))
    first, second = share("first"), share("second")
    return Say(call.in_form("A" if first > second else "B" if second > first else "C"))


def graded(call: Call) -> Say:
    """The number of the text as its grade."""
    return Say(call.in_form(str(quality(call.shown("output")))))


def always(label: str) -> Model:
    """The same answer to everything: "A" prefers what is shown first."""
    return lambda call: Say(call.in_form(label))


class QuietServer(ThreadingHTTPServer):
    """One whose clients may be killed."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing."""


class ModelServer:
    """A server at `url`, which remembers its `calls` and how many it had `at_once`."""

    def __init__(self, model: Model = honest) -> None:
        self.model = model
        self.calls: list[Call] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.server = QuietServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"{self.address}/v1"

    def answer(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Say:
        """What the model says to a call."""
        with self.lock:
            call = Call(len(self.calls), body, headers)
            self.calls.append(call)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            said = self.model(call)
            time.sleep(said.wait)
            return said
        finally:
            with self.lock:
                self.at_once -= 1

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def environment(server: Any, key: str = KEY) -> dict[str, str]:
    """The variables that lead both providers to a server."""
    return {"OPENAI_BASE_URL": server.url, "ANTHROPIC_BASE_URL": server.address,
            "OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key}  # fmt: skip


@contextmanager
def serving(model: Model = honest) -> Iterator[ModelServer]:
    """A server for as long as the block runs."""
    server = ModelServer(model)
    try:
        yield server
    finally:
        server.close()


def written(path: str, body: Mapping[str, Any], said: Say) -> dict[str, Any]:
    """The JSON of a reply in the form of the provider whose path was asked."""
    read = len(json.dumps(body["messages"])) // TOKEN_BYTES
    wrote = said.written if said.written is not None else max(len(said.text) // TOKEN_BYTES, 1)
    if path.endswith("/messages"):
        stops = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": f"{body['model']}-dated",
            "content": [{"type": "thinking", "thinking": "[[B]]"}, {"type": "text", "text": said.text}],
            "stop_reason": stops[said.stop],
            "usage": {"input_tokens": read, "output_tokens": wrote},
        }
    choice = {
        "index": 0,
        "finish_reason": said.stop,
        "message": {"role": "assistant", "content": None if said.refusal else said.text, "refusal": said.refusal},
        "logprobs": None if said.logprobs is None else {"content": said.logprobs},
    }
    usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    return {
        "id": "cmpl",
        "object": "chat.completion",
        "created": 1,
        "model": f"{body['model']}-dated",
        "choices": [choice],
        **({"usage": usage} if said.usage else {}),
    }


def _handler(of: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = of.answer(body, {name.lower(): value for name, value in self.headers.items()})
            if said.raw is not None:
                content = said.raw
            elif said.error is not None:
                content = json.dumps({"error": said.error}).encode()
            else:
                content = json.dumps(written(self.path, body, said)).encode()
            self.send(said.status, content, said.headers, said.cut)

        def send(self, status: int, content: bytes, headers: Mapping[str, str], cut: int | None) -> None:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if cut is None else content[:cut])
            if cut is not None:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
