"""Workers name the start of their machine: beats are told by a clock that begins anew with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; a worker of before has none, and holds nothing any more."""
    op.add_column("worker", sa.Column("boot", sa.String(36)))
