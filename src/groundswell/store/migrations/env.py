"""Entry point that Alembic runs: the connection comes from `store.sql`, never from a configuration file."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
