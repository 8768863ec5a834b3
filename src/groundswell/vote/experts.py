"""The page of the panel of named experts: all outputs of a sample, blind, to be ranked, ties allowed.

Experts are invited by a link that is sealed with their
name; what their rankings are worth beside judges is found elsewhere.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from groundswell.records import Record, key_of
from groundswell.vote.ballots import Ballot
from groundswell.vote.booth import Booth, NoVote
from groundswell.vote.pages import language_of, page, prompt_in
from groundswell.vote.pairing import Entry, Shown
from groundswell.vote.rankings import Ranked, comparisons
from groundswell.vote.sealing import NotABallot, Seal
from groundswell.vote.taxonomy import taxonomy
from groundswell.vote.voters import EXPERT
from groundswell.vote.web import canvas_of, form_of

LEAST_OUTPUTS = 2


class Rankings(Protocol):
    """Where rankings are kept."""

    def put(self, records: Iterable[Record]) -> int: ...


class Panel:
    """The experts' pages."""

    def __init__(self, booth: Booth, seal: Seal, kept: Rankings) -> None:
        self._booth = booth
        self._seal = seal
        self._kept = kept

    def routes(self) -> list[BaseRoute]:
        return [Route("/panel/{link}", self.show), Route("/panel/{link}", self.take, methods=["POST"])]

    async def show(self, request: Request) -> Response:
        """The next sample that this expert has not ranked."""
        try:
            by = self._by(request)
        except NotABallot:
            return Response("this link is not valid", status_code=404)
        left = [entry for entry in self._entries() if entry.sample.key not in self._booth.hall.ranked[by]]
        language = language_of(request.query_params.get("lang"), request.headers.get("accept-language", ""))
        total = len(self._entries())
        shown: dict[str, Any] = {
            "ranked": total - len(left),
            "total": total,
            "simulated": self._booth.hall.simulated,
            "site": False,
        }
        if not left:
            return HTMLResponse(page("ranked.html", language, **shown))
        entry = left[0]
        spoken, prompt = prompt_in(entry.sample.prompts, language)
        sealed = [self._sealed(by, entry, output) for output in _shuffled(by, entry)]
        return HTMLResponse(
            page(
                "rank.html",
                language,
                prompt=prompt,
                prompt_language=spoken,
                sealed=sealed,
                inputs=range(len(entry.sample.inputs)),
                size=canvas_of(entry.sample),
                hints=taxonomy().terms(entry.sample.tags),
                **shown,
            )
        )

    async def take(self, request: Request) -> Response:
        """A ranking of all outputs of one sample; anything less is refused."""
        form = await form_of(request)
        try:
            by = self._by(request)
            sample, ranked = self._read(by, form or {})
        except NotABallot:
            return Response("this link is not valid", status_code=404)
        except (ValueError, NoVote):
            return Response("this is no ranking of all the pictures", status_code=422)
        votes = comparisons(sample, by, ranked, datetime.now(UTC))
        await asyncio.to_thread(self._kept.put, votes)
        self._booth.hall.ranked[by].add(sample)
        return RedirectResponse(request.url.path, 303)

    def _read(self, by: str, form: Mapping[str, str]) -> tuple[str, list[Ranked]]:
        places = [name.removeprefix("place-") for name in form if name.startswith("place-")]
        found = {place: self._booth.opened(form.get(f"picture-{place}", "")) for place in places}
        samples = {asked.entry.sample.key: asked.entry for asked in found.values()}
        if len(samples) != 1 or any(asked.ballot.session != by for asked in found.values()):
            raise ValueError("pictures of several samples, or of somebody else")
        ((sample, entry),) = samples.items()
        ranked = [Ranked(shown=asked.left, place=int(form[f"place-{place}"])) for place, asked in found.items()]
        if {each.shown.output for each in ranked} != {each.output for each in entry.outputs}:
            raise ValueError("not every output")
        return sample, ranked

    def _by(self, request: Request) -> str:
        return EXPERT + self._seal.unsealed(request.path_params["link"])

    def _entries(self) -> Sequence[Entry]:
        return [entry for entry in self._booth.hall.pool.entries if len(entry.outputs) >= LEAST_OUTPUTS]

    def _sealed(self, by: str, entry: Entry, shown: Shown) -> str:
        """An address for one picture: a ballot with the same output on both sides, which is never a vote."""
        now = self._seal.now()
        return self._seal.seal(
            Ballot(
                session=by, sample=entry.sample.key, left=shown.output, right=shown.output, probability=1.0, issued=now
            )
        )


def _shuffled(by: str, entry: Entry) -> list[Shown]:
    """The outputs in an order that is the expert's own and stays the same when the page is loaded again."""
    outputs = list(entry.outputs)
    random.Random(key_of(by, entry.sample.key)).shuffle(outputs)
    return outputs
