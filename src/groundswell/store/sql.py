"""The store on SQLAlchemy Core: SQLite in one file by default, any other database by URL.

Facts are only added. Every write is one short transaction, and what a stage reports as done is on disk before it is
counted. A unit is held by a worker that beats; a worker that is gone holds nothing. Meaning of records and stages is
not known here.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, Union
from uuid import uuid4

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from groundswell.errors import StoreError, UserError
from groundswell.records import STORED, Done, Record, Unit, UnitState
from groundswell.store import schema

R = TypeVar("R", bound=Record)

CHUNK = 5_000
"""Keys compared in one query: large enough that a million take a second, small enough to stay flat in memory."""

BEAT_SECONDS = 10.0
"""How often a worker says that it is alive."""

LEASE_SECONDS = 60.0
"""A worker that has not beaten for so long is gone, wherever it ran."""

_decode: Callable[[str], Record] = msgspec.json.Decoder(Union[STORED]).decode  # noqa: UP007  built from a tuple
_encode = msgspec.json.Encoder().encode

FINISHED = (UnitState.DONE, UnitState.REFUSED)


SETTLE = (
    sa.update(schema.unit)
    .where(schema.unit.c.stage == sa.bindparam("of_stage"), schema.unit.c.key == sa.bindparam("of_key"))
    .values(
        state=sa.bindparam("new_state"),
        transient=sa.bindparam("may_pass"),
        why=sa.bindparam("reason"),
        attempts=schema.unit.c.attempts + sa.bindparam("tries"),
        cost=sa.func.coalesce(schema.unit.c.cost, 0.0) + sa.bindparam("spent"),
        unpriced=schema.unit.c.unpriced + sa.bindparam("unknown"),
        worker=None,
    )
)


class SqlStore:
    """Records and unit states in an SQL database. Safe to use from several threads."""

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock
        # Built once: putting a statement together costs more than running it on a few rows.
        self._add_records = self._upsert(schema.record, ["key"])
        self._buried = sa.select(schema.tombstone.c.key).where(self._among(schema.tombstone.c.key))

    # --- facts ------------------------------------------------------------------------------------------------

    def put(self, records: Iterable[Record], *, renew: bool = False) -> int:
        """Add facts and give how many were new. A key that exists keeps its first record, unless `renew` asks to
        replace what is not part of its identity (an endpoint's price, a sample's tags)."""
        rows = [_row(record) for record in records]
        if not rows:
            return 0
        keys = [row["key"] for row in rows]
        add = self._upsert(schema.record, ["key"], ["body"]) if renew else self._add_records
        with self._write() as connection:
            before = self._count(connection, keys)
            self._insert(connection, rows, add)
            return self._count(connection, keys) - before

    def get(self, key: str) -> Record | None:
        with self._read() as connection:
            body = connection.execute(sa.select(schema.record.c.body).where(schema.record.c.key == key)).scalar()
        return None if body is None else _decode(body)

    def records(self, *types: type[R]) -> Iterator[R]:
        """Records of these types (subclasses included), in the order in which they were added, streamed."""
        kinds = [stored.__name__.lower() for stored in STORED if issubclass(stored, types)]
        query = sa.select(schema.record.c.seq, schema.record.c.body).where(schema.record.c.kind.in_(kinds))
        last = 0
        while True:
            # Pages by sequence number: no read transaction stays open while the caller works.
            page = query.where(schema.record.c.seq > last).order_by(schema.record.c.seq).limit(CHUNK)
            with self._read() as connection:
                rows = connection.execute(page).all()
            for row in rows:
                yield _decode(row.body)  # type: ignore[misc]
            if len(rows) < CHUNK:
                return
            last = rows[-1].seq

    def forget(self, keys: Iterable[str], why: str) -> int:
        """Remove records and leave a tombstone for each; a tombstoned key is never stored again."""
        gone = 0
        with self._write() as connection:
            for chunk in _chunks(keys, CHUNK):
                found = self._among(schema.record.c.key)
                query = sa.select(schema.record.c.key, schema.record.c.kind).where(found)
                kinds = connection.execute(query, self._keys(chunk)).all()
                known = {row.key: row.kind for row in kinds}
                rows = [
                    {"key": key, "kind": known.get(key, "unknown"), "time": self._clock(), "why": why} for key in chunk
                ]
                connection.execute(self._upsert(schema.tombstone, ["key"]), rows)
                connection.execute(sa.delete(schema.record).where(found), self._keys(chunk))
                gone += len(known)
        return gone

    # --- units ------------------------------------------------------------------------------------------------

    def unfinished(self, stage: str, units: Iterable[Unit], attempts: int) -> Iterator[Unit]:
        """Those units that are neither done nor refused nor failed for good, streamed in their order.

        A failure is for good when it was not transient, or when `attempts` tries were made.
        """
        table = schema.unit
        failed_for_good = sa.and_(
            table.c.state == UnitState.FAILED, sa.or_(sa.not_(table.c.transient), table.c.attempts >= attempts)
        )
        ended = sa.or_(table.c.state.in_(FINISHED), failed_for_good)
        query = sa.select(table.c.key).where(table.c.stage == stage, self._among(table.c.key), ended)
        for chunk in _chunks(units, CHUNK):
            with self._read() as connection:
                finished = set(connection.execute(query, self._keys([unit.key for unit in chunk])).scalars())
            if len(finished) < len(chunk):
                yield from (unit for unit in chunk if unit.key not in finished)

    def enlist(self) -> str:
        """Register this process as a worker and give its id."""
        worker = uuid4().hex
        row = {"id": worker, "host": socket.gethostname(), "pid": os.getpid(), "beat": self._clock()}
        with self._write() as connection:
            connection.execute(sa.insert(schema.worker), row)
        return worker

    def beat(self, worker: str) -> None:
        """Say that the worker is alive."""
        with self._write() as connection:
            connection.execute(sa.update(schema.worker).where(schema.worker.c.id == worker).values(beat=self._clock()))

    def dismiss(self, worker: str) -> None:
        """Give back what the worker still holds, and strike it off."""
        held = schema.unit.c.worker == worker
        with self._write() as connection:
            connection.execute(sa.update(schema.unit).where(held).values(worker=None))
            connection.execute(sa.delete(schema.worker).where(schema.worker.c.id == worker))

    def claim(self, stage: str, keys: Sequence[str], worker: str) -> set[str]:
        """Hold these units for the worker. Gives those granted: not held by a worker that is alive, nor finished."""
        table = schema.unit
        with self._write() as connection:
            query = sa.select(table.c.key, table.c.state, table.c.worker).where(
                table.c.stage == stage, self._among(table.c.key)
            )
            known = {row.key: row for row in connection.execute(query, self._keys(keys))}
            alive = self._alive(connection) if known else set()
            granted = {
                key
                for key in keys
                if (row := known.get(key)) is None
                or (row.state not in FINISHED and (row.worker in (None, worker) or row.worker not in alive))
            }
            fresh = [key for key in granted if key not in known]
            if fresh:
                rows = [
                    {"stage": stage, "key": key, "worker": worker, "transient": False, "attempts": 0, "unpriced": 0}
                    for key in fresh
                ]
                connection.execute(sa.insert(table), rows)
            if again := [key for key in granted if key in known]:
                change = sa.update(table).where(table.c.stage == stage, self._among(table.c.key)).values(worker=worker)
                connection.execute(change, self._keys(again))
        return granted

    def settle(self, stage: str, results: Sequence[tuple[Unit, Done]]) -> None:
        """Write results with their records in one transaction: a unit is done only when its records are there."""
        rows = [
            {
                "of_stage": stage,
                "of_key": unit.key,
                "new_state": str(done.state),
                "may_pass": done.transient,
                "tries": int(done.tried),
                "reason": done.why,
                "spent": done.cost or 0.0,
                "unknown": int(done.cost is None),
            }
            for unit, done in results
        ]
        records = [_row(record) for _, done in results for record in done.records]
        with self._write() as connection:
            if records:
                self._insert(connection, records, self._add_records)
            connection.execute(SETTLE, rows)

    def finish(self, stage: str, results: Sequence[tuple[Unit, Done]]) -> set[str]:
        """Write units that nobody claimed, with their records, in one transaction. Gives the keys of those that were
        new; a unit that exists keeps its first result, and nothing of the second is stored."""
        firsts = {unit.key: done for unit, done in reversed(results)}
        rows = [
            {
                "stage": stage,
                "key": key,
                "state": str(done.state),
                "transient": done.transient,
                "attempts": 1,
                "why": done.why,
                "cost": done.cost,
                "unpriced": int(done.cost is None),
            }
            for key, done in firsts.items()
        ]
        insert = self._upsert(schema.unit, ["stage", "key"]).returning(schema.unit.c.key)
        with self._write() as connection:
            fresh = set(connection.execute(insert, rows).scalars())
            records = [_row(record) for key in firsts if key in fresh for record in firsts[key].records]
            if records:
                self._insert(connection, records, self._add_records)
        return fresh

    def states(self) -> Mapping[str, Mapping[UnitState, int]]:
        """Counts of finished units by stage and state."""
        table = schema.unit
        query = (
            sa.select(table.c.stage, table.c.state, sa.func.count())
            .where(table.c.state.is_not(None))
            .group_by(table.c.stage, table.c.state)
        )
        counts: dict[str, dict[UnitState, int]] = {}
        with self._read() as connection:
            for stage, state, count in connection.execute(query):
                counts.setdefault(stage, {})[UnitState(state)] = count
        return counts

    def spent(self) -> tuple[float, int]:
        """USD spent in this workspace, and how many attempts had a cost that nobody knows."""
        query = sa.select(
            sa.func.coalesce(sa.func.sum(schema.unit.c.cost), 0.0),
            sa.func.coalesce(sa.func.sum(schema.unit.c.unpriced), 0),
        )
        with self._read() as connection:
            cost, unpriced = connection.execute(query).one()
        return float(cost), int(unpriced)

    def reasons(self, state: UnitState, limit: int = 20) -> list[tuple[str, str, int]]:
        """(stage, why, count) of units that ended in this state, the most frequent first."""
        table = schema.unit
        count = sa.func.count().label("n")
        query = (
            sa.select(table.c.stage, table.c.why, count)
            .where(table.c.state == state)
            .group_by(table.c.stage, table.c.why)
            .order_by(count.desc(), table.c.stage, table.c.why)
            .limit(limit)
        )
        with self._read() as connection:
            return [(stage, why or "no reason given", n) for stage, why, n in connection.execute(query)]

    def close(self) -> None:
        self._engine.dispose()

    # --- how --------------------------------------------------------------------------------------------------

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        try:
            with self._engine.connect().execution_options(write=True) as connection, connection.begin():
                yield connection
        except sa.exc.OperationalError as error:
            raise StoreError(f"the store could not be written: {error.orig}") from error

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            yield connection

    def _insert(self, connection: Connection, rows: list[dict[str, Any]], statement: Any) -> None:
        gone = set(connection.execute(self._buried, self._keys([row["key"] for row in rows])).scalars())
        if kept := [row for row in rows if row["key"] not in gone]:
            connection.execute(statement, kept)

    def _count(self, connection: Connection, keys: Sequence[str]) -> int:
        query = sa.select(sa.func.count()).select_from(schema.record).where(self._among(schema.record.c.key))
        return connection.execute(query, self._keys(keys)).scalar_one()

    def _upsert(self, table: sa.Table, unique: list[str], renewed: Sequence[str] = ()) -> Any:
        if self._engine.dialect.name == "postgresql":
            from sqlalchemy.dialects.postgresql import insert as insert_postgresql

            statement: Any = insert_postgresql(table)
        else:
            from sqlalchemy.dialects.sqlite import insert as insert_sqlite

            statement = insert_sqlite(table)
        if not renewed:
            return statement.on_conflict_do_nothing(index_elements=unique)
        values = {name: statement.excluded[name] for name in renewed}
        return statement.on_conflict_do_update(index_elements=unique, set_=values)

    def _among(self, column: sa.Column[Any]) -> sa.ColumnElement[bool]:
        """`column IN keys` with one parameter (see `_keys`), however many keys: the statement stays the same."""
        if self._engine.dialect.name == "sqlite":
            each = sa.func.json_each(sa.bindparam("keys")).table_valued("value")
            return column.in_(sa.select(each.c.value))
        return column == sa.func.any(sa.bindparam("keys", type_=sa.ARRAY(sa.String)))

    def _keys(self, keys: Sequence[str]) -> dict[str, Any]:
        return {"keys": _encode(keys).decode() if self._engine.dialect.name == "sqlite" else list(keys)}

    def _alive(self, connection: Connection) -> set[str]:
        """Ids of the workers that still beat; one of this machine whose process is gone is dead at once."""
        rows = connection.execute(sa.select(schema.worker)).all()
        here, now = socket.gethostname(), self._clock()
        return {
            row.id for row in rows if now - row.beat < LEASE_SECONDS and (row.host != here or _process_exists(row.pid))
        }


def open_store(place: str) -> SqlStore:
    """The store at a file's path or a database URL, made or migrated as needed.

    Raises StoreError when the database was written by a newer Groundswell, and UserError when it cannot be opened.
    """
    sqlite = "://" not in place
    if sqlite:
        path = Path(place)
        if not path.parent.is_dir():
            raise UserError("the folder of the store does not exist; make it, or correct [workspace] store", where=path)
    url = f"sqlite:///{place}" if sqlite else place.replace("postgresql://", "postgresql+psycopg://", 1)
    engine = sa.create_engine(url)
    if sqlite:
        _prepare_sqlite(engine)
    try:
        _migrate(engine)
    except sa.exc.DatabaseError as error:
        raise UserError(f"this is not a store of Groundswell ({error.orig})", where=place) from None
    return SqlStore(engine)


def _prepare_sqlite(engine: Engine) -> None:
    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, in the mode that their work needs
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")  # what was paid for survives a power cut, too
        cursor.execute("PRAGMA busy_timeout = 30000")
        cursor.execute("PRAGMA mmap_size = 1073741824")  # looking keys up reads many pages once; no copy of each
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A write takes its lock at once: two writers wait for each other instead of failing half way.
        mode = "IMMEDIATE" if connection.get_execution_options().get("write") else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")


def _migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        present = sa.inspect(connection).has_table("alembic_version")
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() if present else None
    if version == schema.VERSION:
        return
    if version is not None and version > schema.VERSION:
        raise StoreError(
            f"the store has schema {version}, this Groundswell knows {schema.VERSION}; use the newer Groundswell"
        )
    from alembic import command
    from alembic.config import Config as AlembicConfig

    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(write=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _row(record: Record) -> dict[str, Any]:
    return {"key": record.key, "kind": type(record).__name__.lower(), "body": _encode(record).decode()}


def _chunks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
