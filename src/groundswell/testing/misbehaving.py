"""A script by which the scripted host fails in every way that hosts are known to fail in, the same way every time.

What a question gets is drawn from its digest and from how often it was sent: some questions are always declined, some
always answered with the host's own error picture, and of all other sendings a share fails.
"""

from __future__ import annotations

import msgspec
import pybase64

from groundswell.testing.acts import Act, Seen, picture

MODERATED = {"code": "moderation_blocked", "message": "Your request was rejected by the safety system.", "param": ""}

REFUSALS = (
    Act(status=400, error=MODERATED),
    Act(status=400, error={**MODERATED, "param": None, "code": "content_policy_violation"}),
    Act(status=500, error={"code": None, "message": "Your request was rejected as a result of our safety system."}),
    Act(body='{"created": 1, "data": []}'),
)

ERROR_PICTURE = Act(
    body=msgspec.json.encode({"data": [{"b64_json": pybase64.b64encode(picture("error")).decode()}]}).decode()
)

UNDELIVERED = (Act(tear=0.5), Act(tear=0.98), Act(latency=30.0))
"""Made and paid for, and lost on the way."""

FAILURES = (
    Act(status=429, headers={"Retry-After": "0"}),
    Act(status=500),
    Act(status=502, body="<html>Bad gateway</html>", content_type="text/html"),
    Act(status=503),
    Act(status=529),
    Act(status=408),
    Act(reset=True),
    Act(body="<html>please wait</html>", content_type="text/html"),
    Act(body=""),
    Act(body='{"created": 1, "data": [{"b64_j'),
    Act(body='{"created": 1}'),
    Act(body='{"data": [{"b64_json": "!!!"}]}'),
    Act(body='{"error": {"message": "upstream went away", "code": 502}}'),
)
"""Nothing was made."""


class Misbehaving:
    """`share` of the sendings fail; `refused` and `faked` are shares of the questions."""

    def __init__(self, share: float, *, refused: float = 0.05, faked: float = 0.02, good: Act | None = None) -> None:
        self._share = share
        self._refused = refused
        self._faked = faked
        self._good = good or Act()

    def __call__(self, seen: Seen) -> Act:
        if seen.method == "GET":
            return self._good
        fate = int(seen.question[:8], 16) / 2**32
        if fate < self._refused:
            return _one_of(REFUSALS, seen, 0)
        if fate < self._refused + self._faked:
            return ERROR_PICTURE
        drawn = (int(seen.question[8:16], 16) / 2**32 + 0.6180339887 * seen.sending) % 1.0
        if drawn >= self._share:
            return self._good
        return _one_of((*FAILURES, *UNDELIVERED), seen, seen.sending)

    def is_refused(self, seen: Seen) -> bool:
        """Whether a request is one that is always declined."""
        return self(seen) in REFUSALS

    def is_lost(self, seen: Seen) -> bool:
        """Whether its picture was made and did not arrive."""
        return self(seen) in UNDELIVERED


def _one_of(acts: tuple[Act, ...], seen: Seen, salt: int) -> Act:
    return acts[(int(seen.question[16:], 16) // (salt * 37 + 1)) % len(acts)]
