"""What hosts publish of their models' settings, and how settings are meant for a request.

The table stands in `published.toml`, each row with its source and date. It is used where the workspace file gives an
endpoint no settings; what the file gives is sent as it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from groundswell.ports import Provider
from groundswell.records import Call, Endpoint, Json, Picture, Reply, Request, Understood

_SUFFIX = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{6,8}|-preview.*|:[0-9a-f]+)?")
"""What may follow a model's name without making it another model."""


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the table."""

    host: str
    models: tuple[str, ...]
    settings: Mapping[str, Json]
    timed: Mapping[str, Json] = {}
    """Sent with timed requests besides: watermark and safety checks off, where the API allows (METHODS, section 5)."""
    source: str
    date: str
    how: Literal["page", "resold", "known"]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: tuple[Published, ...]


@cache
def table() -> tuple[Published, ...]:
    """All rows."""
    data = tomllib.loads(files("groundswell.providers").joinpath("published.toml").read_text())
    return msgspec.convert(data, _Table).model


def published(host: str, model: str) -> Published | None:
    """What a host publishes of a model, of its dated snapshots and of its versions; None = nothing is known here."""
    return next((row for row in table() if row.host == host and any(_same(name, model) for name in row.models)), None)


def _same(name: str, model: str) -> bool:
    return model.startswith(name) and _SUFFIX.fullmatch(model.removeprefix(name)) is not None


class Settled:
    """A dialect that is given the settings which are meant for the request, and no others."""

    def __init__(self, dialect: Provider) -> None:
        self.name = dialect.name
        self._dialect = dialect

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """The dialect's first call."""
        inputs = any(isinstance(part, Picture) for part in request.parts)
        settings = endpoint.settings_for(sized=request.size is not None, inputs=inputs)
        return self._dialect.begin(msgspec.structs.replace(endpoint, settings=settings), request)

    def advance(self, reply: Reply) -> Understood:
        """The dialect's word."""
        return self._dialect.advance(reply)
