"""How pictures arrive: as base64 in the reply, as a `data:` URL, or behind a link that is followed at once.

Links of hosts expire within minutes, so following one is part of asking. Whether the bytes are a picture is not known
here: nobody has looked at them.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import pybase64

from groundswell.providers.failures import LONGEST_REASON, document, mapping
from groundswell.records import Answer, Broken, Call, Declined, Reply

GONE = frozenset({400, 401, 403, 410, 451})
"""Statuses of a link that will not get better: expired, or never ours."""


def opened(reply: Reply) -> Mapping[str, Any] | Answer | Declined | Broken:
    """The object in a reply; or the end, where the reply is the picture that a link gave, or no JSON."""
    if reply.call.phase == "fetch":
        return fetched(reply)
    body = document(reply)
    return body if isinstance(body, Declined | Broken) else mapping(body)


def delivered(sources: Iterable[Any], known: Answer, status: int = 200) -> Answer | Call | Broken | None:
    """The answer with the first picture of `sources`, each base64, a data: URL or a link; None where there is none.

    A link becomes the Call that fetches it, which remembers what the reply said (`known`). One picture is asked for
    everywhere; where more came, `observed` says how many.
    """
    given = [source for source in sources if isinstance(source, str) and source]
    if not given:
        return None
    if len(given) > 1:
        known = msgspec.structs.replace(known, observed={**known.observed, "pictures": len(given)})
    first = given[0]
    if first.startswith(("http://", "https://")):
        return Call(method="GET", url=first, auth=None, phase="fetch", from_reply=True, state=known)
    data = decoded(first)
    if data is None:
        return Broken(what="decode", reason="the reply's picture is not base64", transient=True, status=status)
    return msgspec.structs.replace(known, pictures=(data,))


def decoded(text: str) -> bytes | None:
    """Bytes of base64 or of a data: URL; None where it is neither."""
    if text.startswith("data:"):
        head, _, text = text.partition(",")
        if not head.endswith(";base64"):
            return None
    try:
        return pybase64.b64decode(text, validate=True) or None
    except (binascii.Error, ValueError):
        return None


def fetched(reply: Reply) -> Answer | Broken:
    """What came of following a link."""
    known: Answer = reply.call.state
    if reply.status == 200 and reply.body:
        return msgspec.structs.replace(known, pictures=(reply.body,))
    said = reply.body[:LONGEST_REASON].decode("utf-8", "replace") if reply.status != 200 else "it is empty"
    reason = f"the picture's link gave {reply.status}: {' '.join(said.split())}"[:LONGEST_REASON]
    return Broken(what="download", reason=reason, transient=reply.status not in GONE, status=reply.status)
