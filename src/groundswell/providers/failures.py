"""What a host's error means: a refusal, a dead key, an empty account, or a failure that may or may not pass.

Hosts say the same things in many words. The tables here are of codes first and of words second, because a code is meant
for programs; a word counts only where no code says otherwise. Nothing here knows what was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from groundswell.records import Broken, Declined, Json, Reply

REFUSAL_CODES = frozenset(
    {
        "content_filter",
        "content_moderation",
        "content_policy_violation",
        "content_safety_violation",
        "contentfilter",
        "data_inspection_failed",
        "moderation_blocked",
        "nsfw_content_detected",
        "responsibleaipolicyviolation",
        "safety",
    }
)
REFUSAL_WORDS = (
    "content policy",
    "content management policy",
    "content moderation",
    "flagged as sensitive",
    "moderation",
    "nsfw",
    "safety system",
    "usage policies",
)
SAFETY_BLOCKS = (
    "rejected as a result of our safety system",
    "rejected by our safety system",
    "rejected by the safety system",
)
"""Said with any status, a server error included, these are refusals and not an outage."""

DEAD_KEY_CODES = frozenset({"account_deactivated", "api_key_invalid", "authentication_error", "invalid_api_key"})
EMPTY_ACCOUNT_CODES = frozenset(
    {"billing_error", "billing_hard_limit_reached", "billing_not_active", "insufficient_quota", "payment_required"}
)
EMPTY_ACCOUNT_WORDS = ("credit balance is too low", "exhausted balance")

TRANSIENT = frozenset({408, 409, 425, 429})
LONGEST_REASON = 300


def document(reply: Reply) -> Json | Declined | Broken:
    """The JSON of a reply; what its error says where it is one that is no JSON, or that is cut."""
    try:
        return msgspec.json.decode(reply.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if reply.status >= 400:
            return failure(reply.status, reply.body[:LONGEST_REASON].decode("utf-8", "replace"))
        kind = reply.headers.get("content-type", "no type")
        reason = f"the reply is not whole JSON ({kind}, {len(reply.body)} bytes)"
        return Broken(what="decode", reason=reason, transient=True, status=reply.status)


def failure(status: int, message: str, codes: Iterable[object] = ()) -> Declined | Broken:
    """What an error means. `codes` are whatever stands where hosts put codes; what is empty is left out."""
    message = message or "no message"
    said = {str(code).lower() for code in codes if code}
    reason = f"{status}: {message}"[:LONGEST_REASON]
    lower = message.lower()
    if status == 401 or said & DEAD_KEY_CODES:
        # The host's words are not repeated: some quote the key.
        reason = f"the host refused the key ({status})"
        return Broken(what="provider", reason=reason, transient=False, status=status, key_dead=True)
    if status == 402 or said & EMPTY_ACCOUNT_CODES or any(words in lower for words in EMPTY_ACCOUNT_WORDS):
        return Broken(what="provider", reason=reason, transient=True, status=status, exhausted=True)
    worded = status < 500 and status not in TRANSIENT and any(words in lower for words in REFUSAL_WORDS)
    if worded or said & REFUSAL_CODES or any(words in lower for words in SAFETY_BLOCKS):
        return declined(message, "input")
    transient = status in TRANSIENT or status >= 500 or status < 400
    return Broken(what="provider", reason=reason, transient=transient, status=status)


def declined(message: str, at: Any = "output") -> Declined:
    """A refusal in the host's words; `at` says whether the input or the output was what it did not want."""
    return Declined(reason=message[:LONGEST_REASON], at=at, raw=message)


def broken(reason: str, status: int | None = None, *, transient: bool = True) -> Broken:
    """A reply that was understood and is of no use."""
    return Broken(what="provider", reason=reason[:LONGEST_REASON], transient=transient, status=status)


def in_words(text: str) -> Declined:
    """A model that was asked for a picture and answered with text alone: it did not make one, whatever it says."""
    said = " ".join(text.split())
    return declined(f"answered in words and made no picture: {said}" if said else "made no picture and said nothing")


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
