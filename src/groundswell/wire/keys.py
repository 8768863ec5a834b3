"""A key of a host: a secret that carries the name of its variable and never shows itself."""

from __future__ import annotations

from base64 import b64encode
from typing import Literal
from urllib.parse import quote

import msgspec

from groundswell.errors import UserError

SHORTEST_SECRET = 8
"""Characters; a shorter key ("none", "EMPTY") is a placeholder that would be cut out of honest replies."""


class Key:
    """A secret with the name of the variable that holds it. Its repr and str are the name alone.

    A plain class and not a record, so that no encoder can write it out.
    """

    __slots__ = ("_forms", "_secret", "group", "variable")

    def __init__(self, variable: str, secret: str, group: str | None = None) -> None:
        """`group`: account of the key; None = an account of its own. Raises UserError on an unusable secret."""
        secret = secret.strip()
        if not secret or not secret.isascii() or not secret.isprintable():
            raise UserError(
                "holds no usable key: it is empty or has characters that no HTTP header can carry", where=variable
            )
        self.variable = variable
        self.group = group or variable
        self._secret = secret
        self._forms = _forms(secret) if len(secret) >= SHORTEST_SECRET else ()

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def header(self, auth: str) -> tuple[str, str]:
        """Name and value of the header that `auth` describes, e.g. `Authorization: Bearer {key}`."""
        name, _, value = auth.partition(":")
        value = value.strip().replace("{key}", self._secret)
        return name.strip(), value.replace("{basic}", b64encode(self._secret.encode()).decode())

    def half(self, which: Literal["name", "secret"]) -> bytes:
        """Half of a key `NAME:SECRET`, as it stands inside the quotes of a JSON text. Raises UserError without one."""
        name, colon, secret = self._secret.partition(":")
        if not colon:
            raise UserError("must hold NAME:SECRET, with a colon between them", where=self.variable)
        return msgspec.json.encode(name if which == "name" else secret)[1:-1]

    def redact(self, data: bytes) -> bytes:
        """The bytes with every echo of the secret (plain, or as in a URL, JSON or base64) replaced by its name."""
        for form in self._forms:
            if form in data:
                data = data.replace(form, f"[{self.variable}]".encode())
        return data

    def shows_in(self, text: str) -> bool:
        """Whether a text echoes the secret."""
        data = text.encode("utf-8", "surrogateescape")
        return any(form in data for form in self._forms)


def _forms(secret: str) -> tuple[bytes, ...]:
    """The ways in which a host may write a secret back."""
    plain = secret.encode()
    others = {quote(secret, safe="").encode(), msgspec.json.encode(secret)[1:-1], b64encode(plain)}
    others |= {repr(secret)[1:-1].encode(), msgspec.json.encode(repr(secret)[1:-1])[1:-1]}
    half = secret.rpartition(":")[2]
    if len(half) >= SHORTEST_SECRET:
        others |= {half.encode(), msgspec.json.encode(half)[1:-1]}
    return (plain, *sorted(others - {plain}, key=lambda form: (-len(form), form)))
