"""The first schema: records, units with the workers that hold them, tombstones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "record",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("key", sa.String(32), nullable=False, unique=True),
        sa.Column("kind", sa.String(24), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("record_by_kind", "record", ["kind", "seq"])
    op.create_table(
        "worker",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("beat", sa.Float, nullable=False),
    )
    op.create_table(
        "unit",
        sa.Column("stage", sa.String(32), primary_key=True),
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("state", sa.String(8)),
        sa.Column("transient", sa.Boolean, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("why", sa.Text),
        sa.Column("cost", sa.Float),
        sa.Column("unpriced", sa.Integer, nullable=False),
        sa.Column("worker", sa.String(32), sa.ForeignKey("worker.id")),
        sqlite_with_rowid=False,
    )
    op.create_index("unit_by_worker", "unit", ["worker"])
    op.create_table(
        "tombstone",
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(24), nullable=False),
        sa.Column("time", sa.Float, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
    )
