"""The tables of the store. One schema for SQLite and PostgreSQL; migrations beside it bring older databases here."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

VERSION = "0002"
"""Revision of the newest migration; a database of another version is migrated or refused."""

metadata = MetaData()

record = Table(
    "record",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("key", String(32), nullable=False, unique=True),
    Column("kind", String(24), nullable=False),
    Column("body", Text, nullable=False),
    Index("record_by_kind", "kind", "seq"),
)
"""Facts, as JSON that a person can read, in the order in which they came."""

worker = Table(
    "worker",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("beat", Float, nullable=False),
    Column("boot", String(36)),
)
"""Processes that hold units; one that stopped beating, or ran before its machine was started anew (`boot`), holds
nothing. `beat` is in seconds of the machine's monotonic clock, or of the server's clock."""

unit = Table(
    "unit",
    metadata,
    Column("stage", String(32), primary_key=True),
    Column("key", String(32), primary_key=True),
    Column("state", String(8)),
    Column("transient", Boolean, nullable=False, default=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("why", Text),
    Column("cost", Float),
    Column("unpriced", Integer, nullable=False, default=0),
    Column("worker", String(32), ForeignKey("worker.id")),
    Index("unit_by_worker", "worker"),
    sqlite_with_rowid=False,
)
"""State of every unit that was begun. `state` is empty while a worker holds it; `unpriced` counts attempts whose cost
nobody knows, so that the sum of `cost` is never taken for the whole."""

tombstone = Table(
    "tombstone",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("kind", String(24), nullable=False),
    Column("time", Float, nullable=False),
    Column("why", Text, nullable=False),
)
"""Records that were withdrawn; a key in here is never stored again."""
