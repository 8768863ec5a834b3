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

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from groundswell.files import write_bytes
from groundswell.vote.ballots import LIFETIME_SECONDS, Ballot

KEY_FILE = ".arena-key"


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
        self._links = Fernet(urlsafe_b64encode(self._derived(b"link")))
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

    def sealed(self, text: str) -> str:
        """Some text of ours as characters that fit an address; it does not expire."""
        return self._links.encrypt(text.encode()).decode().rstrip("=")

    def unsealed(self, sealed: str) -> str:
        """The text. Raises NotABallot."""
        try:
            return self._links.decrypt((sealed + "=" * (-len(sealed) % 4)).encode()).decode()
        except (InvalidToken, UnicodeEncodeError):
            raise NotABallot("this was not sealed here") from None

    def now(self) -> float:
        """Seconds since 1970, by the clock that ballots are dated by."""
        return self._clock()

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
