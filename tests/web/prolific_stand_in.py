"""Prolific on this computer: the parts of its public API that campaigns use, over real HTTP, and its messages.

Shapes of requests, answers and errors, and the states of studies, are those of https://docs.prolific.com/api-reference.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "tok-5up3r-53cr3t"
_NEEDED = {"name": str, "description": str, "external_study_url": str, "prolific_id_option": str,
           "total_available_places": int, "estimated_completion_time": int, "reward": int}  # fmt: skip
_ELSEWHERE = "/api/v1/elsewhere/"
_MOVES = {("UNPUBLISHED", "PUBLISH"): "ACTIVE", ("ACTIVE", "STOP"): "COMPLETED", ("PAUSED", "STOP"): "COMPLETED"}


class StandIn(ThreadingHTTPServer):
    """`troubles`: by "METHOD path", what happens to the next requests instead: a status, "lost" (it is done, and nobody
    hears of it) or "late". `asked`: all requests that had the token.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: list[dict[str, Any]] = []
        self.bonuses: dict[str, list[float]] = {}
        self.secrets: list[dict[str, str]] = []
        self.subscriptions: list[dict[str, Any]] = []
        self.troubles: dict[str, list[int | str]] = {}
        self.asked: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def environment(self) -> dict[str, str]:
        return {"PROLIFIC_TOKEN": TOKEN, "PROLIFIC_URL": f"http://127.0.0.1:{self.server_port}"}

    @property
    def study(self) -> dict[str, Any]:
        (only,) = self.studies.values()
        return only

    def handle_error(self, *_: object) -> None:
        """A client that did not wait for its answer is no news, least of all in the output of a later command."""

    def submit(self, participant: str, status: str) -> str:
        name = f"sub{len(self.submissions)}"
        self.submissions.append({"id": name, "participant_id": participant, "status": status, "has_siblings": False,
                                 "started_at": "2026-05-01T09:30:00Z"})  # fmt: skip
        return name


def message(participant: str, submission: str, status: str, **more: Any) -> bytes:
    """The body of what Prolific says of a submission."""
    change = {"resource_id": submission, "event_type": "submission.status.change", "participant_id": participant}
    return json.dumps(change | {"status": status} | more).encode()


def signed(secret: str, body: bytes, notice: str = "e1", seconds: float = 0.0) -> dict[str, str]:
    """The headers of a message that was sent so many seconds ago."""
    sent = str(int(time.time() - seconds))
    signature = base64.b64encode(hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest()).decode()
    return {"content-type": "application/json", "x-prolific-request-timestamp": sent,
            "x-prolific-request-signature": signature, "x-event-id": notice}  # fmt: skip


class RefusalError(Exception):
    """A status, and the detail of the error."""


class Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = urlsplit(self.path)
        trouble = (self.server.troubles.get(f"{self.command} {parts.path}") or [None]).pop(0)
        if self.headers["authorization"] != f"Token {TOKEN}":
            return self._send(401, {"detail": f"no {self.headers['authorization']}"})
        self.server.asked.append(f"{self.command} {parts.path}")
        if isinstance(trouble, int):
            return self._send(trouble, {"error": {"detail": "wait"}}, {"Retry-After": "7", "Location": _ELSEWHERE})
        try:
            status, document, headers = self._do(parts.path.removeprefix("/api/v1"), parse_qs(parts.query), body)
        except RefusalError as refusal:
            status, detail = refusal.args
            error = {"status": status, "error_code": 140003, "title": "Bad request", "detail": detail}
            status, document, headers = status, {"error": error}, {}
        if trouble == "late":
            time.sleep(1)
        if trouble != "lost":
            self._send(status, document, headers)
        return None

    def _send(self, status: int, document: object, headers: dict[str, str] | None = None) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _do(self, path: str, query: dict[str, list[str]], body: bytes) -> tuple[int, object, dict[str, str]]:
        there = self.server
        given = json.loads(body) if body else {}
        match [self.command, *path.strip("/").split("/")]:
            case ["GET", "studies"]:
                return 200, self._page(list(there.studies.values()), path, query), {}
            case ["POST", "studies"]:
                return 201, self._create(given), {}
            case ["GET", "studies", name]:
                return 200, self._study(name), {}
            case ["PATCH", "studies", name]:
                if given["total_available_places"] < self._study(name)["total_available_places"]:
                    raise RefusalError(400, {"total_available_places": ["Only increasing is allowed"]})
                self._study(name).update(given)
                return 200, self._study(name), {}
            case ["POST", "studies", name, "transition"]:
                study = self._study(name)
                if (study["status"], given["action"]) not in _MOVES:
                    raise RefusalError(400, f"cannot {given['action']} a study that is {study['status']}")
                study["status"] = _MOVES[study["status"], given["action"]]
                return 200, study, {}
            case ["GET", "studies", name, "submissions"]:
                self._study(name)
                return 200, self._page(there.submissions, path, query), {}
            case ["GET", "submissions", name]:
                return 200, {"id": name, "bonus_payments": there.bonuses.get(name, [])}, {}
            case ["POST", "study-cost-calculator"]:
                return 200, {"total_cost": given["reward"] * given["total_available_places"] * 4 / 3}, {}
            case ["GET", "hooks", "secrets"]:
                return 200, {"results": there.secrets}, {}
            case ["POST", "hooks", "secrets"]:
                there.secrets[:] = [{"id": "1", "value": f"hush{len(there.asked)}", **given}]
                return 201, there.secrets[0], {}
            case ["GET", "hooks", "subscriptions"]:
                return 200, {"results": [of for of in there.subscriptions if of["is_enabled"]]}, {}
            case ["POST", "hooks", "subscriptions"]:
                there.subscriptions.append({"id": f"h{len(there.subscriptions)}", "is_enabled": False, **given})
                return 201, {"results": there.subscriptions}, {"X-Hook-Secret": there.subscriptions[-1]["id"] + "!"}
            case ["POST", "hooks", "subscriptions", name]:
                if given != {"secret": f"{name}!"}:
                    raise RefusalError(400, {"secret": ["wrong"]})
                (of,) = [of for of in there.subscriptions if of["id"] == name]
                of["is_enabled"] = True
                return 200, of, {}
        raise RefusalError(404, "there is no such thing")

    def _study(self, name: str) -> dict[str, Any]:
        if name not in self.server.studies:
            raise RefusalError(404, "Study not found")
        return self.server.studies[name]

    def _create(self, given: dict[str, Any]) -> dict[str, Any]:
        wrong = {name: ["This field is wrong."] for name, kind in _NEEDED.items() if type(given.get(name)) is not kind}
        if not wrong and 60 * given["reward"] < 600 * given["estimated_completion_time"]:
            wrong = {"reward": ["The reward is below the least for an hour."]}
        if wrong:
            raise RefusalError(400, wrong)
        study = {**given, "id": f"study{len(self.server.studies)}", "status": "UNPUBLISHED",
                 "reward": float(given["reward"])}  # fmt: skip
        self.server.studies[study["id"]] = study
        return study

    def _page(self, results: list[dict[str, Any]], path: str, query: dict[str, list[str]]) -> dict[str, Any]:
        """Two at a time; the next page is at an address of Prolific, as there."""
        start = int(query.get("offset", ["0"])[0])
        more = f"https://api.prolific.com/api/v1{path}?limit=2&offset={start + 2}" if start + 2 < len(results) else None
        return {"results": results[start : start + 2], "_links": {"next": {"href": more, "title": "Next"}}}
