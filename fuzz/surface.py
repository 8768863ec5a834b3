"""The pages of the arena, of its operator and of its panel under requests of any kind, by a Hypothesis machine:
`python -m fuzz.surface [--examples 1000]`.

Whatever method, path, headers, cookies and body are sent: the server answers without an error of its own, shows no
stack trace and none of its secrets, and a vote exists only where a genuine ballot was answered once by the session that
it was given to. Who is no operator rules nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import string
import sys
import tempfile
from collections.abc import Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from starlette.types import ASGIApp, Message, Scope

from groundswell.files import write_text
from groundswell.flow.serving import OPERATOR_TOKEN, application
from groundswell.flow.workspace import Workspace, workspace
from groundswell.pictures import encode_png
from groundswell.records import Edition, Endpoint, Output, Sample
from groundswell.vote.sealing import KEY_FILE

MODELS = ("ada", "bob", "cyd")
SAMPLES = 6
STEPS = 30
"""Requests of one example."""

CHOICES = ("left", "right", "tie", "both_bad", "skip")
PATHS = (
    "/", "/vote", "/picture", "/health", "/operator", "/operator/sign-in", "/operator/rule", "/operator/tag",
    "/operator/propose", "/operator/reload", "/operator/invite", "/operator/rankings.jsonl", "/panel", "/static",
    "/static/arena.css", "/site", "/site/index.html", "/favicon.ico", "/robots.txt",
)  # fmt: skip
PIECES = (
    "..", "%2e%2e", "....//", "\x00", "%00", "~", ".operator-token", ".arena-key", "groundswell.sqlite",
    "groundswell.toml", "etc/passwd", "left", "right", "input-0",
    "x" * 3000, "\u202e", "é", "<script>", "';--", "{{7*7}}",
    "con", " ",
)  # fmt: skip
NAMES = (
    "accept-language", "range", "if-none-match", "if-modified-since", "if-range", "host", "content-type",
    "content-length", "sec-fetch-site", "origin", "referer", "x-forwarded-for", "x-forwarded-proto", "user-agent",
    "transfer-encoding", "expect", "upgrade", "authorization", "accept-encoding",
)  # fmt: skip
VALUES = (
    "bytes=0-", "bytes=-1", "bytes=9-1", "bytes=0-0,1-1,2-2", "bytes=99999999999999999999-", "en;q=x", "zh-CN,en;q=0.5",
    "*", ";;;", "same-origin", "cross-site", "none", "evil.example", "127.0.0.1", "[::1", "-1", "99999999999",
    "chunked", "application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "W/\"x\"",
    "Thu, 01 Jan 1970 00:00:00 GMT", "Basic Og==", "", "\xff\xfe", "a" * 9000,
)  # fmt: skip
FIELDS = (
    "ballot", "choice", "seen_left", "seen_right", "token", "mark", "subject", "what", "why", "use_case", "capability",
    "style-0", "name", "place-0", "picture-0", "lang", "key",
)  # fmt: skip
WORDS = (
    "", "left", "nan", "inf", "1e999", "-1", "0", "9" * 5000, "retire", "exclude", "reinstate", "\x00", "é", "<b>",
    "'; DROP TABLE record; --", "%00", "../..", "consumer", "x" * 20_000,
)  # fmt: skip
TRACES = re.compile(rb"Traceback|File \"|site-packages|/groundswell/")

texts = st.sampled_from(WORDS) | st.text(max_size=20)
paths = st.one_of(
    st.sampled_from(PATHS),
    st.builds("/".join, st.lists(st.sampled_from((*PATHS, *PIECES)) | st.text(max_size=8), min_size=1, max_size=4)),
)
methods = st.sampled_from(("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "X" * 50))
headers = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES) | st.text(string.printable[:95]), max_size=4)
queries = st.dictionaries(st.sampled_from(FIELDS), texts, max_size=3)
bodies = st.one_of(
    st.binary(max_size=200),
    st.dictionaries(st.sampled_from(FIELDS), texts, max_size=6).map(lambda form: urlencode(form).encode()),
    st.sampled_from((b"{}", b"%", b"a=%ff%fe", b"=" * 500, b"a=1&" * 5000, b"x" * 40_000)),
)
cookies = st.dictionaries(st.sampled_from(("session", "language", "operator")), texts, max_size=3)


class Answer:
    """What came back: status, headers and body."""

    def __init__(self, messages: list[Message]) -> None:
        start = next(message for message in messages if message["type"] == "http.response.start")
        self.status: int = start["status"]
        self.headers: list[tuple[bytes, bytes]] = list(start["headers"])
        self.body = b"".join(message.get("body", b"") for message in messages)

    def cookie(self, name: str) -> str | None:
        for header, value in self.headers:
            if header == b"set-cookie" and (found := SimpleCookie(value.decode("latin-1")).get(name)) is not None:
                return found.value
        return None

    def first(self, pattern: str) -> str | None:
        found = re.search(pattern, self.body.decode("utf-8", "replace"))
        return None if found is None else found[1]


class Request:
    """A request as a server hands it to the application, legal or not."""

    def __init__(self, method: str, path: str, **parts: Any) -> None:
        self.method, self.path = method, path if path.startswith("/") else f"/{path}"
        self.headers: Mapping[str, str] = parts.get("headers", {})
        self.cookies: Mapping[str, str] = parts.get("cookies", {})
        self.query: Mapping[str, str] = parts.get("query", {})
        self.body: bytes = parts.get("body", b"")

    def scope(self) -> Scope:
        lines = {"host": "127.0.0.1:8000", **self.headers}
        if self.cookies:
            lines["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        path = self.path.encode("utf-8", "surrogatepass")
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": self.method, "scheme": "http",
            "path": path.decode("utf-8", "replace"), "raw_path": path, "root_path": "",
            "query_string": urlencode(self.query, errors="replace").encode(),
            "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in lines.items()],
            "client": ("127.0.0.1", 50_000), "server": ("127.0.0.1", 8000), "state": {},
        }  # fmt: skip


async def asked(app: ASGIApp, request: Request) -> Answer:
    """Put a request to an application as its server would."""
    sent: list[Message] = []
    received = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> Message:
        return received.pop() if received else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(request.scope(), receive, send)
    return Answer(sent)


def furnish(space: Workspace) -> None:
    """Samples, models and their pictures, enough for ballots; and a site beside them."""
    samples = [Sample(suite="custom", task="t2i", prompts={"en": f"Prompt {n}"}) for n in range(SAMPLES)]
    models = [Endpoint(name=name, host="openai", model=name, family=name, tasks=("t2i",)) for name in MODELS]
    outputs = []
    for n, sample in enumerate(samples):
        for place, model in enumerate(models):
            picture = space.keep(encode_png(np.full((16, 16, 3), 10 * n + place, np.uint8)))
            outputs.append(Output(job=f"{n}{place}", sample=sample.key, endpoint=model.key, pictures=(picture,)))
    edition = Edition(suite="custom", label="1", samples=tuple(sample.key for sample in samples), languages=("en",))
    space.store.put([*samples, *models, edition, *outputs])
    write_text(space.config.folder / "site" / "index.html", "<!doctype html><title>site</title>")


def secrets_of(folder: Path) -> list[bytes]:
    """What no answer may hold."""
    return [(folder / name).read_bytes().strip() for name in (OPERATOR_TOKEN, KEY_FILE)]


class Surface(RuleBasedStateMachine):
    """The machine; a subclass names the workspace whose arena is asked."""

    space: Workspace
    app: ASGIApp
    requests = 0
    """Sent by all examples."""

    ballots: Bundle[tuple[str, str]] = Bundle("ballots")
    """Session's token and sealed ballot, not answered yet."""
    used: Bundle[tuple[str, str]] = Bundle("used")
    operators: Bundle[tuple[str, str]] = Bundle("operators")
    """Cookie and mark of somebody who signed in with the token."""

    @classmethod
    def of(cls, space: Workspace) -> type[Surface]:
        """The machine for a furnished workspace."""
        return type("SurfaceOfThis", (cls,), {"space": space, "app": staticmethod(application(space))})

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.secrets = secrets_of(self.space.config.folder)
        self.votes, self.rulings = self.kept()

    def teardown(self) -> None:
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def kept(self) -> tuple[int, int]:
        """Votes and rulings in the store."""
        kinds = self.space.store.kinds()
        return kinds.get("vote", 0), kinds.get("ruling", 0)

    def ask(self, request: Request) -> Answer:
        type(self).requests += 1
        answer = self.loop.run_until_complete(asked(self.app, request))
        told = answer.body + b"\n".join(value for header in answer.headers for value in header)
        assert answer.status < 500 or (answer.status, request.path) == (502, "/operator/propose"), answer.status
        assert not TRACES.search(told), told[:300]
        assert not any(secret in told for secret in self.secrets), "a secret is shown"
        return answer

    # --- strangers --------------------------------------------------------------------------------------------

    @rule(method=methods, path=paths, query=queries, headers=headers, cookies=cookies, body=bodies)
    def anything(self, method: str, path: str, **parts: Any) -> None:
        self.ask(Request(method, path, **parts))

    @rule(path=st.sampled_from(PATHS), body=bodies, headers=headers)
    def a_form(self, path: str, body: bytes, headers: dict[str, str]) -> None:
        self.ask(Request("POST", path, body=body, headers=headers))

    # --- voters -----------------------------------------------------------------------------------------------

    @initialize(target=ballots)
    def first_ballot(self) -> tuple[str, str]:
        return self.visit()

    @rule(target=ballots)
    def visit(self) -> tuple[str, str]:
        answer = self.ask(Request("GET", "/"))
        token, sealed = answer.cookie("session"), answer.first(r'name="ballot" value="([^"]+)"')
        assert token is not None
        assert sealed is not None
        return token, sealed

    @rule(ballot=ballots, which=st.sampled_from(("left", "right", "input-0", "none", "..")))
    def look(self, ballot: tuple[str, str], which: str) -> None:
        self.ask(Request("GET", f"/picture/{ballot[1]}/{which}"))

    @rule(target=used, ballot=consumes(ballots), choice=st.sampled_from(CHOICES))
    def vote(self, ballot: tuple[str, str], choice: str) -> tuple[str, str]:
        answer = self.cast(*ballot, choice)
        assert answer.status in (200, 303)
        self.votes += choice != "skip"
        return ballot

    @rule(ballot=used, choice=st.sampled_from(CHOICES))
    def vote_again(self, ballot: tuple[str, str], choice: str) -> None:
        assert self.cast(*ballot, choice).status in (409, 410)

    @rule(ballot=ballots, choice=texts.filter(lambda text: text not in CHOICES))
    def vote_for_nothing(self, ballot: tuple[str, str], choice: str) -> None:
        assert self.cast(*ballot, choice).status in (400, 422)

    @rule(ballot=ballots, token=texts, choice=st.sampled_from(CHOICES))
    def vote_in_anothers_name(self, ballot: tuple[str, str], token: str, choice: str) -> None:
        assert self.cast(token, ballot[1], choice).status in (400, 403)

    @rule(ballot=ballots, place=st.integers(0, 80), sign=st.sampled_from("Aa0-_=% é"), choice=st.sampled_from(CHOICES))
    def vote_with_a_forged_ballot(self, ballot: tuple[str, str], place: int, sign: str, choice: str) -> None:
        token, sealed = ballot
        place %= len(sealed)
        forged = sealed[:place] + sign + sealed[place + 1 :]
        if forged != sealed:
            assert self.cast(token, forged, choice).status in (400, 403)

    def cast(self, token: str, sealed: str, choice: str) -> Answer:
        form = urlencode({"ballot": sealed, "choice": choice, "seen_left": "1.5"}, errors="replace")
        return self.ask(Request("POST", "/vote", cookies={"session": token}, body=form.encode()))

    # --- the operator -----------------------------------------------------------------------------------------

    @rule(token=texts)
    def sign_in_without_the_token(self, token: str) -> None:
        form = urlencode({"token": token}, errors="replace").encode()
        assert self.ask(Request("POST", "/operator/sign-in", body=form)).status == 403

    @rule(target=operators)
    def sign_in(self) -> tuple[str, str]:
        form = urlencode({"token": self.secrets[0].decode()}).encode()
        cookie = self.ask(Request("POST", "/operator/sign-in", body=form)).cookie("operator")
        assert cookie is not None
        mark = self.ask(Request("GET", "/operator", cookies={"operator": cookie})).first(r'name="mark" value="([^"]+)"')
        assert mark is not None
        return cookie, mark

    @rule(who=operators, path=st.sampled_from(PATHS[5:11]), form=queries)
    def a_form_without_the_mark(self, who: tuple[str, str], path: str, form: dict[str, str]) -> None:
        body = urlencode({**form, "mark": form.get("mark", "")}, errors="replace").encode()
        assert self.ask(Request("POST", path, cookies={"operator": who[0]}, body=body)).status in (303, 403)

    @rule(who=operators, path=st.sampled_from(PATHS[6:11]), form=queries)
    def a_form_of_the_operator(self, who: tuple[str, str], path: str, form: dict[str, str]) -> None:
        body = urlencode({**form, "mark": who[1]}, errors="replace").encode()
        self.ask(Request("POST", path, cookies={"operator": who[0]}, body=body))
        _, self.rulings = self.kept()

    # --- what always holds ------------------------------------------------------------------------------------

    @invariant()
    def a_vote_has_a_ballot_and_a_ruling_an_operator(self) -> None:
        assert self.kept() == (self.votes, self.rulings)


def sent(count: int) -> int:
    """Run so many examples, the same ones each time; gives the number of requests. Raises where something gave way."""
    with tempfile.TemporaryDirectory() as folder:
        write_text(Path(folder) / "groundswell.toml", "[arena]\nmin_look_seconds = 0.0\n")
        with workspace(Path(folder)) as space:
            furnish(space)
            machine = Surface.of(space)
            how = settings(
                max_examples=count,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            )
            run_state_machine_as_test(machine, settings=how)
            return machine.requests


def main() -> int:
    """Run the machine; gives the exit code."""
    parser = argparse.ArgumentParser(description="The HTTP surface under requests of any kind.")
    parser.add_argument("--examples", type=int, default=1_000)
    requests = sent(parser.parse_args().examples)
    sys.stdout.write(f"{requests:,} requests, none gave way\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
