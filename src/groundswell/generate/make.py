"""How a wanted output is asked for: of a model in this process, of a host over the wire, or of two models in a row.

The dialects and the models are given; which endpoint is which is decided where they are configured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from groundswell.errors import UserError
from groundswell.generate.chain import Chain
from groundswell.generate.prices import expected
from groundswell.generate.stage import Wanted
from groundswell.ports import Blobs, LocalModel, Provider
from groundswell.records import Answer, Broken, Declined, Request
from groundswell.wire.conversation import converse
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line


class Makers:
    """Asks the endpoint that a job names. `local`, `hosts` and `chains` hold, by its name, how it is reached."""

    def __init__(
        self,
        blobs: Blobs,
        wire: Wire,
        *,
        local: Mapping[str, LocalModel],
        hosts: Mapping[str, tuple[Provider, Line]],
    ) -> None:
        self._blobs = blobs
        self._wire = wire
        self._local = local
        self._hosts = hosts
        self.chains: dict[str, Chain] = {}
        """Filled after the rest, because a chain paints through these makers."""

    def price(self, wanted: Wanted) -> float | None:
        """USD that an output is expected to cost; None = not known."""
        if (chain := self.chains.get(wanted.endpoint.name)) is not None and wanted.endpoint.price is None:
            return chain.price(wanted.sample)
        return expected(wanted.endpoint, wanted.sample)

    def travels(self, wanted: Wanted) -> bool:
        """Whether the output comes from a model that runs in whichever process asks for it."""
        return wanted.endpoint.name in self._local

    def __getstate__(self) -> dict[str, Any]:
        # What reaches hosts stays here, with their keys and limits.
        return {**self.__dict__, "_wire": None, "_hosts": {}, "chains": {}}

    async def __call__(self, wanted: Wanted) -> Answer | Declined | Broken:
        """What came of asking once; the wire retries what may pass."""
        name = wanted.endpoint.name
        if (chain := self.chains.get(name)) is not None:
            return await chain(wanted)
        if (model := self._local.get(name)) is not None:
            return await asyncio.to_thread(self._make_here, model, wanted)
        provider, line = self._hosts[name]
        try:
            talk = await converse(self._wire, provider, wanted.endpoint, request_of(wanted), line)
        except UserError as error:
            # What this host cannot be asked is a failure of this output, not of the run.
            return Broken(what="provider", reason=str(error), transient=False)
        return talk.end

    def _make_here(self, model: LocalModel, wanted: Wanted) -> Answer | Declined | Broken:
        inputs = [self._blobs.get(picture.digest) for picture in wanted.sample.inputs]
        return model.make(wanted.sample, wanted.prompt, inputs, wanted.job.seed)


def request_of(wanted: Wanted) -> Request:
    """The request for an output, before any host's dialect: the inputs in order, then the prompt."""
    return Request(
        model=wanted.endpoint.model,
        want="text" if wanted.sample.task == "chat" else "picture",
        parts=(*wanted.sample.inputs, wanted.prompt),
        settings=wanted.job.settings.get("request", {}),
        seed=wanted.job.seed,
        size=wanted.sample.size,
    )
