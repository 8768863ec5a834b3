"""Decisions one by one in a browser, each with its thread and pictures, and a form to keep or overrule it.

Whoever has the key of this run sees the pages, over an address of this machine alone; every form carries a mark, so
that no other site can send one. What a decision is, and where answers go, is the desk's.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import parse_qs

import jinja2
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from groundswell.errors import GroundswellError, UserError
from groundswell.records import Json

COOKIE = "groundswell-review"
FORM_BYTES = 65_536
HERE = ("127.0.0.1", "localhost")

HEADERS = {
    "content-security-policy": "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Desk(Protocol):
    """Where decisions come from and answers go."""

    def rows(self, *, url: str | None = None, question: str | None = None, undecided: bool = False) -> Sequence[Any]:
        """Decisions as rows, the least sure first."""
        ...

    def row(self, subject: str, question: str) -> Mapping[str, Any]:
        """One of them. Raises UserError where there is none."""
        ...

    def thread(self, subject: str) -> Sequence[Mapping[str, Any]]: ...

    def keep(self, subject: str, question: str) -> None: ...

    def overrule(self, subject: str, question: str, text: str) -> Json:
        """Raises UserError where the text is no answer."""
        ...

    def picture(self, digest: str) -> tuple[bytes, str] | None: ...


class ReviewPages:
    """The pages of one run; `which` narrows the decisions, `when_done` is called when the person says so."""

    def __init__(self, desk: Desk, which: Mapping[str, Any]) -> None:
        self.key = secrets.token_urlsafe(24)
        self.overruled = 0
        self.when_done: Callable[[], None] = lambda: None
        self._mark = secrets.token_urlsafe(24)
        self._desk = desk
        self._order = [(row["subject"], row["question"]) for row in desk.rows(**which)]
        self._pages = jinja2.Environment(
            loader=jinja2.PackageLoader("groundswell.curate", "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def application(self) -> Starlette:
        routes = [
            Route("/", self.overview),
            Route("/done", self.done, methods=["POST"]),
            Route("/picture/{digest}", self.picture),
            Route("/{subject}/{question}", self.decision),
            Route("/{subject}/{question}", self.answer, methods=["POST"]),
        ]
        # Another site whose name points at this machine is not answered.
        return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HERE))])

    async def overview(self, request: Request) -> Response:
        if (given := request.query_params.get("key")) is not None and _same(given, self.key):
            response = RedirectResponse("/", 303)
            response.set_cookie(COOKIE, self.key, httponly=True, samesite="strict")
            return response
        if not self._may(request):
            return _refused()
        rows = [self._desk.row(*place) for place in self._order]
        return self._page("review.html", rows=rows, left=[row for row in rows if not row["reviewed"]])

    async def decision(self, request: Request) -> Response:
        if not self._may(request):
            return _refused()
        return self._decision(request, complaint=None)

    async def answer(self, request: Request) -> Response:
        form = await self._genuine(request)
        if form is None:
            return _refused()
        place = (request.path_params["subject"], request.path_params["question"])
        try:
            match form.get("what"):
                case "keep":
                    await asyncio.to_thread(self._desk.keep, *place)
                case "overrule":
                    await asyncio.to_thread(self._desk.overrule, *place, form.get("value", ""))
                    self.overruled += 1
                case "skip":
                    pass
                case _:
                    return Response("keep, overrule or skip", status_code=422)
        except UserError as error:
            return self._decision(request, complaint=str(error))
        following = self._after(place)
        return RedirectResponse("/" if following is None else f"/{following[0]}/{following[1]}", 303)

    async def done(self, request: Request) -> Response:
        if await self._genuine(request) is None:
            return _refused()
        self.when_done()
        return self._page("reviewed.html", overruled=self.overruled)

    async def picture(self, request: Request) -> Response:
        if not self._may(request):
            return _refused()
        try:
            found = await asyncio.to_thread(self._desk.picture, request.path_params["digest"])
        except GroundswellError:
            found = None
        if found is None or not found[1].startswith("image/") or found[1] == "image/svg+xml":
            return Response("no such picture", status_code=404)
        return Response(found[0], media_type=found[1], headers=HEADERS)

    def _decision(self, request: Request, *, complaint: str | None) -> Response:
        place = (request.path_params["subject"], request.path_params["question"])
        try:
            row, thread = self._desk.row(*place), self._desk.thread(place[0])
        except UserError as error:
            return Response(str(error), status_code=404)
        number = self._order.index(place) + 1 if place in self._order else None
        status = 200 if complaint is None else 422
        context = {"row": row, "thread": thread, "number": number, "of": len(self._order), "complaint": complaint}
        return self._page("decision.html", status, **context)

    def _after(self, place: tuple[str, str]) -> tuple[str, str] | None:
        """The next decision that nobody has looked at; what was skipped waits in the overview."""
        start = self._order.index(place) + 1 if place in self._order else 0
        return next((each for each in self._order[start:] if not self._desk.row(*each)["reviewed"]), None)

    def _may(self, request: Request) -> bool:
        return _same(request.cookies.get(COOKIE, ""), self.key)

    async def _genuine(self, request: Request) -> Mapping[str, str] | None:
        """The form, if who sent it has the key and it came from our page."""
        body = b""
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > FORM_BYTES:
                    return None
        except ClientDisconnect:  # half a form is none
            return None
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=20)
        except ValueError:
            return None
        form = {name: values[-1] for name, values in fields.items()}
        return form if self._may(request) and _same(form.get("mark", ""), self._mark) else None

    def _page(self, template: str, status: int = 200, **context: object) -> Response:
        text = self._pages.get_template(template).render(mark=self._mark, **context)
        return HTMLResponse(text, status_code=status, headers=HEADERS)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _refused() -> Response:
    return Response("open the address that groundswell curate review printed", status_code=403)
