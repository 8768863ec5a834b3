"""A dialect for the scripted host's queue: submit, poll, follow the link. For tests of what drives a dialect."""

from __future__ import annotations

import msgspec

from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Reply, Request, Understood


class Queued:
    """`ports.Provider` of the scripted host's `/jobs`, polled every 0.1 s."""

    name = "queued"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        origin = (endpoint.base_url or "").removesuffix("/v1")
        return Call(method="POST", url=f"{origin}/jobs", body=(msgspec.json.encode(request.parts),))

    def advance(self, reply: Reply) -> Understood:
        if reply.status >= 400:
            return Broken(what="provider", reason=str(reply.status), transient=reply.status >= 429, status=reply.status)
        if reply.call.phase == "fetch":
            return Answer(pictures=(reply.body,))
        body = msgspec.json.decode(reply.body)
        if "poll" in body:
            return Call(method="GET", url=body["poll"], phase="wait", delay=0.1, from_reply=True)
        if body["state"] == "working":
            return reply.call
        if body["state"] == "refused":
            return Declined(reason="refused", at="output")
        if body["state"] == "failed":
            return Broken(what="provider", reason="the job failed", transient=True)
        return Call(method="GET", url=body["picture"], phase="fetch", auth=None, from_reply=True)
