"""A key of a host: a secret that carries the name of its variable and never shows itself."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import msgspec

from groundswell.errors import UserError

SHORTEST_SECRET = 8
"""Characters; a shorter key ("none", "EMPTY") is a placeholder that would be cut out of honest replies."""


class Key:
    """A secret with the name of the variable that holds it. Its repr and str are the name alone.

    A plain class and not a record, so that no encoder can write it out.
    """

    __slots__ = ("_secret", "group", "variable")

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

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def header(self, auth: str) -> tuple[str, str]:
        """Name and value of the header that `auth` describes, e.g. `Authorization: Bearer {key}`."""
        name, _, value = auth.partition(":")
        return name.strip(), value.strip().replace("{key}", self._secret)

    def redact(self, data: bytes) -> bytes:
        """The bytes with every echo of the secret (plain, percent-encoded, JSON-escaped) replaced by its name."""
        if len(self._secret) < SHORTEST_SECRET:
            return data
        name = f"[{self.variable}]".encode()
        for form in self._forms():
            data = data.replace(form, name)
        return data

    def _forms(self) -> Iterator[bytes]:
        plain = self._secret.encode()
        yield plain
        for other in (quote(self._secret, safe="").encode(), msgspec.json.encode(self._secret)[1:-1]):
            if other != plain:
                yield other
