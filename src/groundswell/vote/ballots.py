"""A ballot as the page carries it: sealed, so that it can be neither made, changed nor read by anybody else.

The seal is Fernet (AES-CBC under HMAC-SHA256): what stands on a ballot (whose it is, which outputs, the probability of
its draw) would otherwise tell whoever knows the published keys which models are shown. The seal says when it was made,
so a ballot expires by itself and any process that has the key can read it. Whether it was used is known to the store.
"""

from __future__ import annotations

import hmac
import os
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from groundswell.files import write_bytes
from groundswell.records import key_of

LIFETIME_SECONDS = 1800.0
"""A ballot that is older is refused: nobody looks at two pictures for half an hour."""

KEY_FILE = ".arena-key"

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


class NotABallot(ValueError):
    """These characters were not sealed here, or were changed."""


class Expired(ValueError):
    """The ballot is genuine and too old."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Ballot).decode


class Seal:
    """Seals and opens ballots, and hashes session tokens, with the arena's one secret."""

    def __init__(self, secret: bytes, clock: Callable[[], float]) -> None:
        self._secret = secret
        self._fernet = Fernet(urlsafe_b64encode(self._derived(b"ballot")))
        self._clock = clock

    def seal(self, ballot: Ballot) -> str:
        """The ballot as characters that fit an address and a form."""
        return self._fernet.encrypt_at_time(_encode(ballot), int(self._clock())).decode().rstrip("=")

    def open(self, sealed: str) -> Ballot:
        """The ballot. Raises NotABallot, or Expired when it is older than LIFETIME_SECONDS."""
        try:
            padded = sealed + "=" * (-len(sealed) % 4)
            ballot = _decode(self._fernet.decrypt(padded.encode()))
        except (InvalidToken, UnicodeEncodeError, msgspec.DecodeError):
            raise NotABallot("this is no ballot of this arena") from None
        if self._clock() - ballot.issued > LIFETIME_SECONDS:
            raise Expired("the ballot is too old")
        return ballot

    def session(self, token: str) -> str:
        """Hash of a session's token: votes keep this and never the token, so no record can be used to vote."""
        return hmac.new(self._derived(b"session"), token.encode(), sha256).hexdigest()[:32]

    def _derived(self, purpose: bytes) -> bytes:
        return hmac.new(self._secret, purpose, sha256).digest()


def secret(folder: Path, name: str = KEY_FILE) -> bytes:
    """A secret of a workspace folder, made at its first use and readable by its owner only."""
    path = folder / name
    if not path.exists():
        write_bytes(path, os.urandom(32).hex().encode())
        path.chmod(0o600)
    return path.read_bytes()
