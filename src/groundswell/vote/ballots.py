"""A ballot: what one session is asked once. How it is sealed for the page is known to `sealing`."""

from __future__ import annotations

from typing import Literal

import msgspec

from groundswell.records import key_of

LIFETIME_SECONDS = 1800.0
"""A ballot that is older is refused: nobody looks at two pictures for half an hour."""

Side = Literal["left", "right"]


class Ballot(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What one session is asked once: two outputs of one sample with their sides."""

    session: str
    """Hash of the session."""
    sample: str
    left: str
    """Keys of the outputs."""
    right: str
    probability: float
    issued: float
    """Seconds since 1970."""
    golden: bool = False

    @property
    def key(self) -> str:
        """The same for every ballot that asks this session about these two outputs: it is counted once."""
        return key_of("Ballot", 1, self.session, self.sample, sorted((self.left, self.right)))

    def output(self, side: Side) -> str:
        return self.left if side == "left" else self.right
