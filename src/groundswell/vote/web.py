"""The arena over HTTP: the ballot, its pictures, the vote, the reveal. HTML forms that work without JavaScript.

Nothing on a page comes from another host; nothing in a header, an address or a length tells models apart. A handler
translates; what counts is decided by the booth.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import parse_qs

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundswell.errors import StoreError
from groundswell.records import Sample
from groundswell.vote import showing
from groundswell.vote.ballots import Side
from groundswell.vote.booth import SIDES, Answer, Booth, NoVote, Refused
from groundswell.vote.hall import CENTRE, Asked, Choice, Standing
from groundswell.vote.limits import PAGES, SESSIONS, VOTES, Limiter
from groundswell.vote.pages import HERE, LANGUAGES, language_of, page, prompt_in
from groundswell.vote.sealing import Seal
from groundswell.vote.showing import Gallery
from groundswell.vote.taxonomy import taxonomy

COOKIE, LANGUAGE_COOKIE = "session", "language"
COOKIE_SECONDS = 30 * 86_400
FORM_BYTES = 16_384
LOOPBACK = frozenset({"127.0.0.1", "::1"})

STATUS: Mapping[Refused, int] = {
    "forged": 400,
    "expired": 410,
    "foreign": 403,
    "unknown choice": 422,
    "too early": 422,
    "used": 409,
    "withdrawn": 410,
}

HEADERS = {
    "content-security-policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
PICTURE_HEADERS = {"cache-control": "private, max-age=1800, immutable", "x-robots-tag": "noindex"}


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages are made of."""

    booth: Booth
    seal: Seal
    gallery: Gallery
    stored: Callable[[str], object]
    """Finds a record by key."""
    clock: Callable[[], float]
    site: Path | None = None
    more: tuple[BaseRoute, ...] = ()
    """Further pages: the operator's, the panel's."""


class Plain:
    """Adds the headers that every answer carries, and turns a stranger's form away."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                site = scope["path"].startswith("/site")
                message["headers"] += [
                    (name, value)
                    for name, value in self._headers
                    if name not in present and not (site and name == b"content-security-policy")
                ]
            await send(message)

        if scope["type"] == "http" and scope["method"] == "POST":
            came_from = dict(scope["headers"]).get(b"sec-fetch-site")
            if came_from not in (None, b"same-origin", b"none"):
                await Response("a form of another site", status_code=403)(scope, receive, sending)
                return
        await self._app(scope, receive, sending)


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """One model on the page after the vote."""

    side: Side
    model: str
    picture: str
    standing: Standing | None
    mine: bool


class Arena:
    """The handlers of the voting pages."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._votes = Limiter(VOTES, parts.clock)
        self._pages = Limiter(PAGES, parts.clock)
        self._sessions = Limiter(SESSIONS, parts.clock)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.ballot),
            Route("/vote", self.vote, methods=["POST"]),
            Route("/vote", lambda request: RedirectResponse("/", 303), methods=["GET"]),
            Route("/picture/{sealed}/{which}", self.picture),
            Route("/health", lambda request: Response("ok")),
        ]

    # --- the ballot -------------------------------------------------------------------------------------------

    async def ballot(self, request: Request) -> Response:
        """The session's ballot."""
        if not self._may(request, self._pages):
            return self._note(request, "too many", 429)
        token = request.cookies.get(COOKIE)
        if token is None and not self._may(request, self._sessions):
            return self._note(request, "too many", 429)
        token = token or secrets.token_urlsafe(16)
        session = self._parts.seal.session(token)
        asked = self._parts.booth.hall.ask(session)
        if asked is None:
            why = "exhausted" if self._parts.booth.hall.pool.entries else "empty"
            response = self._note(request, why, 200)
        else:
            response = self._ballot_page(request, asked, status=200)
        if request.cookies.get(COOKIE) is None:
            _set(request, response, COOKIE, token)
        if (chosen := request.query_params.get("lang")) in LANGUAGES:
            _set(request, response, LANGUAGE_COOKIE, str(chosen))
        return response

    def _ballot_page(self, request: Request, asked: Asked, *, status: int, notice: str | None = None) -> Response:
        booth, language = self._parts.booth, _language(request)
        sealed = self._parts.seal.seal(asked.ballot)
        spoken, prompt = prompt_in(asked.entry.sample.prompts, language)
        inputs = [f"/picture/{sealed}/input-{place}" for place in range(len(asked.entry.sample.inputs))]
        return self._page(
            request,
            "ballot.html",
            status,
            sealed=sealed,
            prompt=prompt,
            prompt_language=spoken,
            inputs=inputs,
            pictures={side: f"/picture/{sealed}/{side}" for side in SIDES},
            size=canvas_of(asked.entry.sample),
            hints=taxonomy().terms(asked.entry.sample.tags),
            wait=round(booth.waits(asked.ballot), 2),
            least=booth.least_look,
            notice=notice,
            mine=booth.hall.cast_by.get(asked.ballot.session, 0),
            everybody=booth.hall.votes,
        )

    async def picture(self, request: Request) -> Response:
        """A picture of a ballot: an input, or one side. Its address ends with the ballot's life."""
        if not self._may(request, self._pages):
            return Response(status_code=429)
        try:
            asked = self._parts.booth.opened(request.path_params["sealed"])
        except NoVote as error:
            return Response(status_code=STATUS[error.why])
        which = request.path_params["which"]
        digests = {"left": asked.left.digest, "right": asked.right.digest}
        digests |= {f"input-{place}": each.digest for place, each in enumerate(asked.entry.sample.inputs)}
        if which not in digests:
            return Response(status_code=404)
        size = canvas_of(asked.entry.sample)
        try:
            data = self._parts.gallery.kept(digests[which], size)
            data = data or await asyncio.to_thread(self._parts.gallery.show, digests[which], size)
        except (StoreError, ValueError):
            self._parts.booth.cannot_show(asked.ballot)
            return Response(status_code=410)
        if which in SIDES:
            self._parts.booth.looks_at(asked.ballot, "left" if which == "left" else "right")
        return Response(data, media_type=showing.MEDIA_TYPE, headers=PICTURE_HEADERS)

    # --- the vote ---------------------------------------------------------------------------------------------

    async def vote(self, request: Request) -> Response:
        """Take an answer, and name the models."""
        token = request.cookies.get(COOKIE)
        form = await form_of(request)
        if form is None:
            return self._note(request, "forged", 400)
        if token is None:
            return self._note(request, "foreign", 403)
        session = self._parts.seal.session(token)
        if not self._may(request, self._pages) or not self._votes.allows(session):
            return self._note(request, "too many", 429)
        answer = Answer(
            sealed=form.get("ballot", ""),
            choice=form.get("choice", ""),
            seen_left=_seconds(form.get("seen_left")),
            seen_right=_seconds(form.get("seen_right")),
        )
        try:
            cast = await self._parts.booth.cast(session, answer)
        except NoVote as error:
            return self._refused(request, error, answer.sealed)
        if cast.choice == "skip":
            return RedirectResponse("/", 303)
        return self._reveal(request, cast.asked, cast.choice, answer.sealed, status=200)

    def _refused(self, request: Request, error: NoVote, sealed: str) -> Response:
        status = STATUS[error.why]
        if error.asked is not None and error.why == "too early":
            return self._ballot_page(request, error.asked, status=status, notice=error.why)
        if error.asked is not None and error.why == "used":
            choice = self._parts.booth.answered(error.asked.ballot, self._parts.stored)
            if choice not in (None, "skip"):
                return self._reveal(request, error.asked, choice, sealed, status=status, notice=error.why)
        return self._note(request, error.why, status)

    def _reveal(
        self,
        request: Request,
        asked: Asked,
        choice: Choice | None,
        sealed: str,
        *,
        status: int,
        notice: str | None = None,
    ) -> Response:
        hall, task = self._parts.booth.hall, asked.entry.sample.task
        faces = [
            Face(
                side=side,
                model=shown.model,
                picture=f"/picture/{sealed}/{side}",
                standing=hall.standing(task, shown.model),
                mine=choice == side,
            )
            for side, shown in zip(SIDES, (asked.left, asked.right), strict=True)
        ]
        spoken, prompt = prompt_in(asked.entry.sample.prompts, _language(request))
        return self._page(
            request,
            "reveal.html",
            status,
            faces=faces,
            scale=_scale([face.standing for face in faces if face.standing]),
            choice=choice,
            golden=asked.ballot.golden,
            agreement=_agreement(hall.agreement(asked.left.model, asked.right.model), choice),
            prompt=prompt,
            prompt_language=spoken,
            size=canvas_of(asked.entry.sample),
            notice=notice,
            mine=hall.cast_by.get(asked.ballot.session, 0),
            everybody=hall.votes,
        )

    # --- what all pages have ----------------------------------------------------------------------------------

    def _note(self, request: Request, why: str, status: int) -> Response:
        return self._page(request, "note.html", status, why=why)

    def _page(self, request: Request, template: str, status: int, **context: object) -> Response:
        site = self._parts.site is not None
        html = page(template, _language(request), simulated=self._parts.booth.hall.simulated, site=site, **context)
        return HTMLResponse(html, status_code=status)

    @staticmethod
    def _may(request: Request, limiter: Limiter) -> bool:
        """Whether this address may ask now. The machine itself, without a proxy before it, is not limited."""
        address = request.client.host if request.client else ""
        return address in LOOPBACK or limiter.allows(address)


def application(parts: Parts) -> Starlette:
    """The whole arena as an ASGI application."""
    routes = [*Arena(parts).routes(), *parts.more]
    routes.append(Mount("/static", _Kept(directory=HERE / "static"), name="static"))
    if parts.site is not None:
        routes.append(Mount("/site", StaticFiles(directory=parts.site, html=True), name="site"))

    def lost(request: Request, error: Exception) -> Response:
        return HTMLResponse(
            page(
                "note.html",
                _language(request),
                why="lost",
                simulated=parts.booth.hall.simulated,
                site=parts.site is not None,
            ),
            status_code=404,
        )

    return Starlette(routes=routes, middleware=[Middleware(Plain)], exception_handlers={404: lost})


class _Kept(StaticFiles):
    """Files whose address changes with their content."""

    def file_response(self, *args: object, **options: object) -> Response:
        response = super().file_response(*args, **options)  # type: ignore[arg-type]
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


async def form_of(request: Request) -> dict[str, str] | None:
    """Fields of a form that was sent in the usual encoding; None where it is too large or none."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES:
            return None
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=200)
    except (UnicodeDecodeError, ValueError):
        return None
    return {name: values[-1] for name, values in fields.items()}


def canvas_of(sample: Sample) -> tuple[int, int]:
    """The canvas of all outputs of a sample: the wanted size's shape, else that of its first input, else a square."""
    if sample.size is not None:
        return showing.canvas(*sample.size)
    if sample.inputs:
        return showing.canvas(sample.inputs[0].width, sample.inputs[0].height)
    return showing.canvas(1, 1)


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None


def _language(request: Request) -> str:
    chosen = request.query_params.get("lang") or request.cookies.get(LANGUAGE_COOKIE)
    return language_of(chosen, request.headers.get("accept-language", ""))


def _set(request: Request, response: Response, name: str, value: str) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure)


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How many voters who chose between two models said what this one said."""

    share: int
    n: int
    same: bool


def _agreement(wins: tuple[int, int], choice: Choice | None) -> Agreement | None:
    """In whole percent, the voter included; None after a tie and where nobody else has chosen yet."""
    n = sum(wins)
    if choice not in SIDES or n < 2:
        return None
    same = wins[SIDES.index("left" if choice == "left" else "right")]
    return Agreement(share=round(100 * max(same, n - same) / n), n=n, same=2 * same >= n)


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """The ratings that the whiskers on one page span."""

    low: float
    high: float

    def at(self, rating: float) -> float:
        """Place of a rating, 0 to 100."""
        return round(100 * (rating - self.low) / (self.high - self.low), 2)


def _scale(standings: list[Standing]) -> Scale:
    low = min([CENTRE, *(each.low for each in standings)])
    high = max([CENTRE, *(each.high for each in standings)])
    return Scale(low=low - 20, high=high + 20)
