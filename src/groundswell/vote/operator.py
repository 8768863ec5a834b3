"""The operator's page: what the filters found, what waits for a person, and every ruling that was made.

It stands behind a token; every form carries a mark of its session, so that no other site can send one. What the
figures mean is known to the desk that gives them.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from groundswell.errors import GroundswellError, UserError
from groundswell.vote.limits import SIGN_INS, Limiter
from groundswell.vote.pages import page
from groundswell.vote.sealing import Seal
from groundswell.vote.web import LOOPBACK, form_of

COOKIE = "operator"
SIGNED_IN_SECONDS = 12 * 3600.0
NOT_OURS = "sign in at /operator and use the form there"
RULINGS = ("admit", "reject", "retire", "restore", "exclude", "reinstate")


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the page shows, as rows that are ready to be read."""

    counts: Mapping[str, int]
    """Votes, skips, prompts, models, ..."""
    reasons: Mapping[str, int]
    """Votes that do not count, by reason."""
    sessions: Sequence[Mapping[str, Any]]
    """Sessions with flags: session, votes, flagged, why, ruling."""
    boards: Sequence[Mapping[str, Any]]
    cells: Sequence[Mapping[str, Any]]
    queue: Sequence[Mapping[str, Any]]
    tags: Sequence[Mapping[str, Any]]
    """Prompts whose proposed tags nobody has confirmed: subject, prompt, use_case, capability, style, why."""
    terms: Mapping[str, Sequence[str]]
    """The words of the taxonomy by axis."""
    proposals: Sequence[Mapping[str, Any]]
    retired: Sequence[Mapping[str, Any]]
    withdrawn: Sequence[Mapping[str, Any]]
    log: Sequence[Mapping[str, Any]]


class Desk(Protocol):
    """What the operator may see and do."""

    def overview(self) -> Overview: ...

    def simulated(self) -> bool:
        """Whether any votes here were cast by simulated voters."""
        ...

    def rule(self, subject: str, what: str, why: str) -> None:
        """Write a ruling. Raises UserError for a subject that is not known."""
        ...

    def tag(self, subject: str, tags: Mapping[str, Any]) -> None:
        """Write tags as confirmed. Raises UserError for a prompt or a word that is not known."""
        ...

    def propose(self) -> None:
        """Have tags proposed for the prompts that lack them. Raises GroundswellError where the reader fails."""
        ...

    def reload(self) -> None:
        """Read pool and rulings again."""
        ...

    def rankings(self) -> str:
        """Experts' rankings as JSONL."""
        ...


class OperatorPages:
    """The handlers behind the token."""

    def __init__(self, desk: Desk, seal: Seal, token: str, clock: Callable[[], float]) -> None:
        self._desk = desk
        self._seal = seal
        self._token = token
        self._clock = clock
        self._signed_in: dict[str, float] = {}
        self._attempts = Limiter(SIGN_INS, clock)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/operator", self.show),
            Route("/operator/sign-in", self.sign_in, methods=["POST"]),
            Route("/operator/rule", self.rule, methods=["POST"]),
            Route("/operator/tag", self.tag, methods=["POST"]),
            Route("/operator/propose", self.propose, methods=["POST"]),
            Route("/operator/reload", self.reload, methods=["POST"]),
            Route("/operator/invite", self.invite, methods=["POST"]),
            Route("/operator/rankings.jsonl", self.rankings),
        ]

    async def show(self, request: Request) -> Response:
        cookie = self._session(request)
        if cookie is None:
            return self._page("sign_in.html", 401, failed=False)
        found = await asyncio.to_thread(self._desk.overview)
        return self._page("operator.html", 200, found=found, mark=self._mark(cookie), link=None, expert=None)

    async def sign_in(self, request: Request) -> Response:
        form = await form_of(request) or {}
        address = request.client.host if request.client else ""
        if address not in LOOPBACK and not self._attempts.allows(address):
            return self._page("sign_in.html", 429, failed=True)
        if not hmac.compare_digest(form.get("token", "").encode(), self._token.encode()):
            return self._page("sign_in.html", 403, failed=True)
        cookie = secrets.token_urlsafe(32)
        self._signed_in[cookie] = self._clock() + SIGNED_IN_SECONDS
        response = RedirectResponse("/operator", 303)
        response.set_cookie(
            COOKIE,
            cookie,
            max_age=int(SIGNED_IN_SECONDS),
            path="/operator",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    async def rule(self, request: Request) -> Response:
        form = await self._genuine(request)
        if form is None:
            return Response(NOT_OURS, status_code=403)
        if form.get("what") not in RULINGS:
            return Response("this is no ruling", status_code=422)
        try:
            await asyncio.to_thread(self._desk.rule, form.get("subject", ""), form["what"], form.get("why", ""))
        except UserError as error:
            return Response(str(error), status_code=422)
        return RedirectResponse("/operator", 303)

    async def tag(self, request: Request) -> Response:
        form = await self._genuine(request)
        if form is None:
            return Response(NOT_OURS, status_code=403)
        tags: dict[str, Any] = {axis: form[axis] for axis in ("use_case", "capability") if form.get(axis)}
        if styles := [word for name, word in form.items() if name.startswith("style-")]:
            tags["style"] = styles
        try:
            await asyncio.to_thread(self._desk.tag, form.get("subject", ""), tags)
        except UserError as error:
            return Response(str(error), status_code=422)
        return RedirectResponse("/operator#tags", 303)

    async def propose(self, request: Request) -> Response:
        if await self._genuine(request) is None:
            return Response(NOT_OURS, status_code=403)
        try:
            await asyncio.to_thread(self._desk.propose)
        except GroundswellError as error:
            return Response(str(error), status_code=502)
        return RedirectResponse("/operator#tags", 303)

    async def reload(self, request: Request) -> Response:
        if await self._genuine(request) is None:
            return Response(NOT_OURS, status_code=403)
        await asyncio.to_thread(self._desk.reload)
        return RedirectResponse("/operator", 303)

    async def invite(self, request: Request) -> Response:
        """The link for an expert of this name; it is shown once and can always be made again."""
        form, cookie = await self._genuine(request), self._session(request)
        name = "" if form is None else form.get("name", "").strip()[:60]
        if form is None or cookie is None:
            return Response(NOT_OURS, status_code=403)
        if not name:
            return Response("an expert has a name", status_code=422)
        link = f"{request.base_url}panel/{self._seal.sealed(name)}"
        found = await asyncio.to_thread(self._desk.overview)
        return self._page("operator.html", 200, found=found, mark=self._mark(cookie), link=link, expert=name)

    async def rankings(self, request: Request) -> Response:
        if self._session(request) is None:
            return Response("sign in at /operator", status_code=403)
        return Response(await asyncio.to_thread(self._desk.rankings), media_type="application/jsonl")

    def _session(self, request: Request) -> str | None:
        cookie = request.cookies.get(COOKIE, "")
        return cookie if self._signed_in.get(cookie, 0.0) > self._clock() else None

    def _mark(self, cookie: str) -> str:
        return hmac.new(self._token.encode(), cookie.encode(), sha256).hexdigest()

    async def _genuine(self, request: Request) -> dict[str, str] | None:
        """The form, if who sent it is signed in and it came from our page."""
        cookie, form = self._session(request), await form_of(request)
        if cookie is None or form is None or not hmac.compare_digest(form.get("mark", ""), self._mark(cookie)):
            return None
        return form

    def _page(self, template: str, status: int, **context: object) -> Response:
        html = page(template, "en", simulated=self._desk.simulated(), site=False, **context)
        return HTMLResponse(html, status_code=status)
