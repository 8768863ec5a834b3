"""How a wanted output is asked for: of a model in this process, or of a host over the wire.

The dialects and the models are given; which endpoint is which is decided where they are configured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from groundswell.generate.stage import Wanted
from groundswell.ports import Blobs, LocalModel, Provider
from groundswell.records import Answer, Broken, Declined, Request
from groundswell.wire.conversation import converse
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line


class Makers:
    """Asks the endpoint that a job names. `local` and `hosts` hold, by the endpoint's name, how it is reached."""

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

    async def __call__(self, wanted: Wanted) -> Answer | Declined | Broken:
        """What came of asking once; the wire retries what may pass."""
        if (model := self._local.get(wanted.endpoint.name)) is not None:
            return await asyncio.to_thread(self._make_here, model, wanted)
        provider, line = self._hosts[wanted.endpoint.name]
        talk = await converse(self._wire, provider, wanted.endpoint, request_of(wanted), line)
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
