"""The store on SQLAlchemy Core: SQLite in one file by default, PostgreSQL by URL.

Facts are only added. Every write is one short transaction, and what a stage reports as done is on disk before it is
counted. A unit is held by a worker that beats; a worker that is gone holds nothing. A database that goes away and comes
back is waited for. Meaning of records and stages is not known here.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, Union
from uuid import uuid4

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from groundswell.errors import StoreError, UserError
from groundswell.records import STORED, WITHDRAWN, Done, Record, Unit, UnitState
from groundswell.store import schema

R = TypeVar("R", bound=Record)
T = TypeVar("T")

CHUNK = 5_000
"""Keys compared in one query: large enough that a million take a second, small enough to stay flat in memory."""

BEAT_SECONDS = 10.0
"""How often a worker says that it is alive."""

LEASE_SECONDS = 60.0
"""A worker that has not beaten for so long is gone, wherever it ran."""

PATIENCE_SECONDS = 30.0
"""How long a database that went away is waited for: long enough for a restart, and shorter than a lease."""

PAUSE_SECONDS = 0.25
"""Between two attempts to reach it."""

BUSY_MILLISECONDS = 30_000
"""How long a writer of a database file waits for another one."""

SCRUB_MILLISECONDS = 1_000
"""How long writing it anew waits for readers: whoever asked can ask again."""

LOST = ("08", "57P")
"""SQLSTATE classes of a connection that broke, and of a server that stops, crashed or is starting."""

CLASHED = ("40P01", "40001")
"""SQLSTATE of a transaction that was undone because another one was in its way: asking again is the remedy."""

MIGRATION_LOCK = 0x67726F756E64
"""Number of the lock under which a PostgreSQL database is migrated; any that nobody else uses."""

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_decode: Callable[[str], Record] = msgspec.json.Decoder(Union[STORED + WITHDRAWN]).decode  # noqa: UP007  built from a tuple
_encode = msgspec.json.Encoder().encode

FINISHED = (UnitState.DONE, UnitState.REFUSED)

REMAINS = [kind.__name__.lower() for kind in WITHDRAWN]
"""Kinds of rows that only a view `with_withdrawn` reads."""


_ended = sa.or_(*(schema.unit.c.state == state for state in FINISHED))

SETTLE = (
    sa.update(schema.unit)
    .where(schema.unit.c.stage == sa.bindparam("of_stage"), schema.unit.c.key == sa.bindparam("of_key"))
    .values(
        # A result stays: one that comes late, from a worker that was taken for dead, adds its cost and nothing else.
        state=sa.case((_ended, schema.unit.c.state), else_=sa.bindparam("new_state")),
        transient=sa.case((_ended, schema.unit.c.transient), else_=sa.bindparam("may_pass")),
        why=sa.case((_ended, schema.unit.c.why), else_=sa.bindparam("reason")),
        attempts=schema.unit.c.attempts + sa.bindparam("tries"),
        cost=sa.func.coalesce(schema.unit.c.cost, 0.0) + sa.bindparam("spent"),
        unpriced=schema.unit.c.unpriced + sa.bindparam("unknown"),
        worker=None,
    )
)


class ConnectionLost(StoreError):
    """The database went away in the middle; what was not committed did not happen."""


class SqlStore:
    """Records and unit states in an SQL database. Safe to use from several threads."""

    def __init__(
        self, engine: Engine, *, clock: Callable[[], float] = time.monotonic, patience: float = PATIENCE_SECONDS
    ) -> None:
        """`clock` tells the age of beats in a database file. Monotonic: all processes of a machine share it, and no
        change of the date makes a worker look dead. A database server tells the time by its own clock.
        `patience`: seconds for which a server that went away is waited for."""
        self._engine = engine
        self._sqlite = engine.dialect.name == "sqlite"
        self._clock = clock
        self._patience = patience
        self._until: int | None = None
        self._kinds = STORED
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
        add = self._upsert(schema.record, ["key"], ["body"]) if renew else self._add_records
        return self._surviving(lambda: self._put(rows, add))

    def _put(self, rows: list[dict[str, Any]], add: Any) -> int:
        keys = [row["key"] for row in rows]
        with self._write() as connection:
            before = self._count(connection, keys)
            self._insert(connection, rows, add)
            return self._count(connection, keys) - before

    def replace(self, read_again: Iterable[tuple[Record, Record]]) -> None:
        """Put what a record is taken for now in the place of what it was taken for, in one transaction.

        For readings of material that the record itself keeps (a judge's raw reply): the fact stays, the reading
        changes, and with it the key where the type does.
        """
        changes = list(read_again)
        with self._write() as connection:
            for chunk in _chunks((old.key for old, _ in changes), CHUNK):
                connection.execute(sa.delete(schema.record).where(self._among(schema.record.c.key)), self._keys(chunk))
            for rows in _chunks((_row(new) for _, new in changes), CHUNK):
                self._insert(connection, rows, self._add_records)

    def get(self, key: str) -> Record | None:
        with self._read() as connection:
            row = connection.execute(sa.select(schema.record).where(schema.record.c.key == key)).one_or_none()
        return None if row is None or (row.kind in REMAINS and self._kinds is STORED) else _decode(row.body)

    def records(self, *types: type[R]) -> Iterator[R]:
        """Records of these types (subclasses included), in the order in which they were added, streamed."""
        kinds = [stored.__name__.lower() for stored in self._kinds if issubclass(stored, types)]
        query = sa.select(schema.record.c.seq, schema.record.c.body).where(schema.record.c.kind.in_(kinds))
        if self._until is not None:
            query = query.where(schema.record.c.seq < self._until)
        last = 0
        while True:
            # Pages by sequence number: no read transaction stays open while the caller works.
            page = query.where(schema.record.c.seq > last).order_by(schema.record.c.seq).limit(CHUNK)
            rows = self._surviving(lambda page=page: self._rows(page))  # type: ignore[misc]  # bound at once
            for row in rows:
                yield _decode(row.body)  # type: ignore[misc]
            if len(rows) < CHUNK:
                return
            last = rows[-1].seq

    def before(self, key: str) -> SqlStore:
        """The store as it was when this record was added: `records` gives what came before it and is still there.
        Raises StoreError where there is no such record."""
        found = self._rows(sa.select(schema.record.c.seq).where(schema.record.c.key == key))
        if not found:
            raise StoreError(f"there is no record {key} in the store")
        then = copy(self)
        then._until = found[0].seq
        return then

    @property
    def until(self) -> int | None:
        """The place, in the order of all records, before which this view ends; None = it has everything."""
        return self._until

    def with_withdrawn(self) -> SqlStore:
        """The store with what is left of withdrawn records among the others, for whoever counts."""
        counting = copy(self)
        counting._kinds = STORED + WITHDRAWN
        return counting

    def forget(self, keys: Iterable[str], why: str, remains: Iterable[Record] = ()) -> int:
        """Remove records and leave a tombstone for each; a tombstoned key is never stored again. Gives how many there
        were.

        `remains`, each under the key of the record that it is left of, take these records' places (see
        `with_withdrawn`).
        """
        left, gone, table = {each.key: _row(each) for each in remains}, 0, schema.record
        with self._write() as connection:
            for chunk in _chunks(dict.fromkeys((*keys, *left)), CHUNK):
                found = self._among(table.c.key)
                rows = connection.execute(sa.select(table.c.key, table.c.kind).where(found), self._keys(chunk)).all()
                known, now = {row.key: row.kind for row in rows}, time.time()
                stones = [{"key": key, "kind": known.get(key, "unknown"), "time": now, "why": why} for key in chunk]
                connection.execute(self._upsert(schema.tombstone, ["key"]), stones)
                doomed = self._keys([key for key in chunk if key not in left])
                connection.execute(sa.delete(table).where(found), doomed)
                gone += len(known)
            if left:
                change = sa.update(table).where(table.c.key == sa.bindparam("of_key"))
                change = change.values(kind=sa.bindparam("new_kind"), body=sa.bindparam("new_body"))
                rests = [{"of_key": key, "new_kind": row["kind"], "new_body": row["body"]} for key, row in left.items()]
                connection.execute(change, rests)
        return gone

    def hush(self, quotes: Callable[[str], bool]) -> int:
        """Take the reasons out of units whose reason quotes what was withdrawn (`quotes`); gives how many."""
        table = schema.unit
        query = sa.select(table.c.stage, table.c.key, table.c.why).where(table.c.why.is_not(None))
        found = [{"of_stage": row.stage, "of_key": row.key} for row in self._rows(query) if quotes(row.why)]
        if found:
            change = sa.update(table).where(
                table.c.stage == sa.bindparam("of_stage"), table.c.key == sa.bindparam("of_key")
            )
            with self._write() as connection:
                connection.execute(change.values(why="withdrawn"), found)
        return len(found)

    def scrub(self) -> bool:
        """Write the database anew, so that no free page and no log holds what was removed. Gives whether that could be
        done: nobody else may be reading at that moment."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            try:
                if not self._sqlite:
                    connection.exec_driver_sql(f"VACUUM (FULL) {schema.record.name}, {schema.unit.name}")
                    return True
                cursor = connection.connection.cursor()
                cursor.execute(f"PRAGMA busy_timeout = {SCRUB_MILLISECONDS}")
                cursor.execute("VACUUM")
                busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
            except (sa.exc.OperationalError, sqlite3.OperationalError):
                return False
            return not busy

    def tombstones(self) -> list[dict[str, str]]:
        """What was withdrawn, the latest first: {key, kind, why, time}, the time as ISO 8601 in UTC."""
        query = sa.select(schema.tombstone).order_by(schema.tombstone.c.time.desc())
        with self._read() as connection:
            rows = connection.execute(query).all()
        return [
            {
                "key": row.key,
                "kind": row.kind,
                "why": row.why,
                "time": datetime.fromtimestamp(row.time, UTC).isoformat(timespec="seconds"),
            }
            for row in rows
        ]

    # --- units ------------------------------------------------------------------------------------------------

    def unfinished(self, stage: str, units: Iterable[Unit], attempts: int | None) -> Iterator[Unit]:
        """Those units that are neither done nor refused nor failed for good, streamed in their order.

        A failure is for good when it was not transient, or when `attempts` tries were made; with None, never.
        """
        table = schema.unit
        ended: sa.ColumnElement[bool] = table.c.state.in_(FINISHED)
        if attempts is not None:
            for_good = sa.or_(sa.not_(table.c.transient), table.c.attempts >= attempts)
            ended = sa.or_(ended, sa.and_(table.c.state == UnitState.FAILED, for_good))
        query = sa.select(table.c.key).where(table.c.stage == stage, self._among(table.c.key), ended)
        for chunk in _chunks(units, CHUNK):
            keys = self._keys([unit.key for unit in chunk])
            finished = self._surviving(lambda keys=keys: self._first_column(query, keys))  # type: ignore[misc]
            if len(finished) < len(chunk):
                yield from (unit for unit in chunk if unit.key not in finished)

    def enlist(self) -> str:
        """Register this process as a worker and give its id."""
        worker = uuid4().hex
        row = {"id": worker, "host": socket.gethostname(), "boot": _boot(), "pid": os.getpid()}
        with self._write() as connection:
            connection.execute(sa.insert(schema.worker), row | {"beat": self._now(connection)})
        return worker

    def beat(self, worker: str) -> None:
        """Say that the worker is alive."""
        self._surviving(lambda: self._beat(worker))

    def _beat(self, worker: str) -> None:
        with self._write() as connection:
            change = sa.update(schema.worker).where(schema.worker.c.id == worker)
            connection.execute(change.values(beat=self._now(connection)))

    def dismiss(self, worker: str) -> None:
        """Give back what the worker still holds, and strike it off."""
        held = schema.unit.c.worker == worker
        with self._write() as connection:
            connection.execute(sa.update(schema.unit).where(held).values(worker=None))
            connection.execute(sa.delete(schema.worker).where(schema.worker.c.id == worker))

    def claim(self, stage: str, keys: Sequence[str], worker: str) -> set[str]:
        """Hold these units for the worker. Gives those granted: not held by a worker that is alive, nor finished."""
        return self._surviving(lambda: self._claim(stage, keys, worker))

    def _claim(self, stage: str, keys: Sequence[str], worker: str) -> set[str]:
        table = schema.unit
        # What another machine is claiming at this moment is left to it: nobody waits (a no-op in a database file).
        query = (
            sa.select(table.c.key, table.c.state, table.c.worker)
            .where(table.c.stage == stage, self._among(table.c.key))
            .with_for_update(skip_locked=True)
        )
        with self._write() as connection:
            known = {row.key: row for row in connection.execute(query, self._keys(keys))}
            alive = self._alive(connection) if known else set()
            again = [
                key
                for key, row in known.items()
                if row.state not in FINISHED and (row.worker in (None, worker) or row.worker not in alive)
            ]
            if again:
                change = sa.update(table).where(table.c.stage == stage, self._among(table.c.key)).values(worker=worker)
                connection.execute(change, self._keys(again))
            fresh = [
                {"stage": stage, "key": key, "worker": worker, "transient": False, "attempts": 0, "unpriced": 0}
                for key in dict.fromkeys(keys)
                if key not in known
            ]
            return {*again, *self._begin(connection, fresh)}

    def _begin(self, connection: Connection, rows: list[dict[str, Any]]) -> Iterable[str]:
        """Keys of those units that nobody else has begun since they were looked up."""
        if not rows:
            return ()
        if self._sqlite:  # the lock of a database file is held since the look-up
            connection.execute(sa.insert(schema.unit), rows)
            return [row["key"] for row in rows]
        insert = self._upsert(schema.unit, ["stage", "key"]).returning(schema.unit.c.key)
        return connection.execute(insert, rows).scalars()

    def settle(self, stage: str, results: Sequence[tuple[Unit, Done]]) -> None:
        """Write results with their records in one transaction: a unit is done only when its records are there."""
        rows = [
            {
                "of_stage": stage,
                "of_key": unit.key,
                "new_state": str(done.state),
                "may_pass": done.transient,
                "tries": int(done.tried),
                "reason": _storable(done.why),
                "spent": done.cost or 0.0,
                "unknown": int(done.cost is None),
            }
            for unit, done in results
        ]
        records = [_row(record) for _, done in results for record in done.records]
        try:
            self._settle(rows, records)
        except ConnectionLost:
            # Whether the transaction was committed is known only to the database: ask before writing again.
            held = [unit.key for unit, _ in results]
            self._surviving(lambda: self._settle(rows, records) if self._is_held(stage, held) else None)

    def _settle(self, rows: list[dict[str, Any]], records: list[dict[str, Any]]) -> None:
        with self._write() as connection:
            if records:
                self._insert(connection, records, self._add_records)
            connection.execute(SETTLE, rows)

    def _is_held(self, stage: str, keys: Sequence[str]) -> bool:
        """Whether any of these units is still held: a batch is settled whole or not at all."""
        table = schema.unit
        query = sa.select(table.c.key).where(
            table.c.stage == stage, self._among(table.c.key), table.c.worker.is_not(None)
        )
        return bool(self._first_column(query, self._keys(keys)))

    def overturn(self, stage: str, why: str, failures: Mapping[str, Record]) -> None:
        """Turn results into failures for good, each unit's key with the record that says so, in one transaction. What
        they cost stays."""
        table = schema.unit
        query = (
            sa.update(table)
            .where(table.c.stage == stage, self._among(table.c.key))
            .values(state=str(UnitState.FAILED), transient=False, why=_storable(why))
        )
        with self._write() as connection:
            self._insert(connection, [_row(record) for record in failures.values()], self._add_records)
            connection.execute(query, self._keys(list(failures)))

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
                "why": _storable(done.why),
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

    def kinds(self) -> Mapping[str, int]:
        """How many records there are by kind."""
        table = schema.record
        query = sa.select(table.c.kind, sa.func.count()).where(table.c.kind.not_in(REMAINS)).group_by(table.c.kind)
        with self._read() as connection:
            return {str(kind): int(count) for kind, count in connection.execute(query)}

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

    def at_work(self) -> int:
        """How many workers are alive."""
        with self._read() as connection:
            return len(self._alive(connection))

    def pages(self, table: sa.Table) -> Iterator[list[dict[str, Any]]]:
        """All rows of a table in the order of its key, for a copy of the store."""
        unique = list(table.primary_key)
        query = sa.select(table).order_by(*unique).limit(CHUNK)
        last: tuple[Any, ...] | None = None
        while True:
            page = query if last is None else query.where(sa.tuple_(*unique) > sa.tuple_(*map(sa.literal, last)))
            rows = [dict(row._mapping) for row in self._surviving(lambda page=page: self._rows(page))]  # type: ignore[misc]
            if not rows:
                return
            yield rows
            last = tuple(rows[-1][column.name] for column in unique)

    def fill(self, table: sa.Table, rows: list[dict[str, Any]], unique: list[str]) -> None:
        """Add rows of a copy, as they are; those that are there already stay."""
        insert = self._upsert(table, unique)

        def add() -> None:
            with self._write() as connection:
                connection.execute(insert, rows)

        self._surviving(add)

    def close(self) -> None:
        self._engine.dispose()

    # --- how --------------------------------------------------------------------------------------------------

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        try:
            with self._engine.connect().execution_options(write=True) as connection, connection.begin():
                yield connection
        except sa.exc.OperationalError as error:
            kind = ConnectionLost if _may_return(error) else StoreError
            raise kind(f"the store could not be written: {error.orig}") from error
        except sa.exc.InternalError as error:  # PostgreSQL, of a transaction that may only read
            raise StoreError(f"the store could not be written: {error.orig}") from error

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except sa.exc.OperationalError as error:
            kind = ConnectionLost if _may_return(error) else StoreError
            raise kind(f"the store could not be read: {error.orig}") from error

    def _rows(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        with self._read() as connection:
            return connection.execute(query).all()

    def _first_column(self, query: sa.Select[Any], values: Mapping[str, Any]) -> set[str]:
        with self._read() as connection:
            return set(connection.execute(query, values).scalars())

    def _surviving(self, work: Callable[[], T]) -> T:
        """Do work that may be done again, waiting for a database that went away."""
        until = time.monotonic() + self._patience
        while True:
            try:
                return work()
            except ConnectionLost:
                if time.monotonic() > until:
                    raise
                time.sleep(PAUSE_SECONDS)

    def _now(self, connection: Connection) -> float:
        """Seconds by which beats are told: of this machine for a file, of the server where many machines meet."""
        if self._sqlite:
            return self._clock()
        return float(connection.execute(sa.select(sa.extract("epoch", sa.func.clock_timestamp()))).scalar_one())

    def _insert(self, connection: Connection, rows: list[dict[str, Any]], statement: Any) -> None:
        gone = set(connection.execute(self._buried, self._keys([row["key"] for row in rows])).scalars())
        if kept := [row for row in rows if row["key"] not in gone]:
            connection.execute(statement, kept)

    def _count(self, connection: Connection, keys: Sequence[str]) -> int:
        query = sa.select(sa.func.count()).select_from(schema.record).where(self._among(schema.record.c.key))
        return connection.execute(query, self._keys(keys)).scalar_one()

    def _upsert(self, table: sa.Table, unique: list[str], renewed: Sequence[str] = ()) -> Any:
        if self._sqlite:
            from sqlalchemy.dialects.sqlite import insert as insert_sqlite

            statement: Any = insert_sqlite(table)
        else:
            from sqlalchemy.dialects.postgresql import insert as insert_postgresql

            statement = insert_postgresql(table)
        if not renewed:
            return statement.on_conflict_do_nothing(index_elements=unique)
        values = {name: statement.excluded[name] for name in renewed}
        return statement.on_conflict_do_update(index_elements=unique, set_=values)

    def _among(self, column: sa.Column[Any]) -> sa.ColumnElement[bool]:
        """`column IN keys` with one parameter (see `_keys`), however many keys: the statement stays the same."""
        if self._sqlite:
            each = sa.func.json_each(sa.bindparam("keys")).table_valued("value")
            return column.in_(sa.select(each.c.value))
        return column == sa.func.any(sa.bindparam("keys", type_=sa.ARRAY(sa.String)))

    def _keys(self, keys: Sequence[str]) -> dict[str, Any]:
        return {"keys": _encode(keys).decode() if self._sqlite else list(keys)}

    def _alive(self, connection: Connection) -> set[str]:
        """Ids of the workers that still beat; one of this machine whose process is gone is dead at once."""
        rows = connection.execute(sa.select(schema.worker)).all()
        here, boot, now = socket.gethostname(), _boot(), self._now(connection)
        return {
            row.id
            for row in rows
            if 0 <= now - row.beat < LEASE_SECONDS
            and (row.host != here or (row.boot == boot and _process_exists(row.pid)))
        }


def open_store(place: str, *, patience: float = PATIENCE_SECONDS) -> SqlStore:
    """The store at a file's path or a `postgresql://` URL, made or migrated as needed.

    Raises StoreError when the database was written by a newer Groundswell, and UserError when it cannot be opened.
    """
    engine = _engine(place)
    try:
        _migrate(engine)
    except sa.exc.DatabaseError as error:
        engine.dispose()
        raise UserError(_cannot_open(engine, error), where=shown(place)) from None
    except StoreError:
        engine.dispose()
        raise
    return SqlStore(engine, patience=patience)


def open_to_read(place: str) -> SqlStore:
    """The store as it is: nothing can be written through it, and it is neither made nor migrated.

    Raises UserError where there is none, or where its schema is an older one; StoreError as `open_store`.
    """
    if "://" not in place and not Path(place).exists():
        raise UserError("nothing is stored here yet; groundswell run", where=place)
    engine = _engine(place)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only = ON"))
    else:
        engine = engine.execution_options(postgresql_readonly=True)
    try:
        if not _is_current(engine):
            raise UserError("an older Groundswell made this store; groundswell status migrates it", where=shown(place))
    except sa.exc.DatabaseError as error:
        engine.dispose()
        raise UserError(_cannot_open(engine, error), where=shown(place)) from None
    except (StoreError, UserError):
        engine.dispose()
        raise
    return SqlStore(engine)


def _engine(place: str) -> Engine:
    if "://" not in place:
        path = Path(place)
        if not path.parent.is_dir():
            raise UserError("the folder of the store does not exist; make it, or correct [workspace] store", where=path)
        engine = sa.create_engine(f"sqlite:///{place}")
        _prepare_sqlite(engine)
        return engine
    scheme, _, rest = place.partition("://")
    if scheme not in ("postgresql", "postgres"):
        raise UserError(f"a store is a file or a postgresql:// URL, not {scheme}://", where=shown(place))
    try:
        return sa.create_engine(f"postgresql+psycopg://{rest}", pool_size=10, max_overflow=10)
    except ImportError:
        raise UserError("PostgreSQL needs psycopg; pip install 'groundswell[scale]'", where=shown(place)) from None
    except (sa.exc.ArgumentError, ValueError) as error:
        raise UserError(f"this is no database URL ({error})", where=shown(place)) from None


def shown(place: str) -> str:
    """A place as it may be printed: the password of a URL is left out."""
    if "://" not in place:
        return place
    scheme, _, rest = place.partition("://")
    login, at, address = rest.rpartition("@")
    user = login.partition(":")[0]
    return f"{scheme}://{user}{at}{address.partition('?')[0]}"


def _cannot_open(engine: Engine, error: sa.exc.DatabaseError) -> str:
    if engine.dialect.name != "sqlite":
        # The driver escapes line breaks of the server's advice; its first line is the reason.
        reason = str(error.orig).split("\\n")[0].splitlines()[0]
        return f"the database cannot be opened ({reason}); check the URL and that the server runs"
    if "readonly" in str(error.orig) or "unable to open" in str(error.orig):
        return f"the store cannot be written ({error.orig}); check who may write to its folder"
    return f"this is not a store of Groundswell ({error.orig})"


def _prepare_sqlite(engine: Engine) -> None:
    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, in the mode that their work needs
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")  # what was paid for survives a power cut, too
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        cursor.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
        cursor.execute("PRAGMA mmap_size = 1073741824")  # looking keys up reads many pages once; no copy of each
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A write takes its lock at once: two writers wait for each other instead of failing half way.
        mode = "IMMEDIATE" if connection.get_execution_options().get("write") else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")


def _is_current(engine: Engine) -> bool:
    """Whether the store has this Groundswell's schema. Raises StoreError where it has a newer one."""
    with engine.connect() as connection:
        present = sa.inspect(connection).has_table("alembic_version")
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() if present else None
    if version is not None and version > schema.VERSION:
        raise StoreError(
            f"the store has schema {version}, this Groundswell knows {schema.VERSION}; use the newer Groundswell"
        )
    return bool(version == schema.VERSION)


def _migrate(engine: Engine) -> None:
    if _is_current(engine):
        return
    from alembic import command
    from alembic.config import Config as AlembicConfig

    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect().execution_options(write=True) as connection, connection.begin():
        if engine.dialect.name != "sqlite":
            # Machines that open a new database at once make its tables one after another.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _row(record: Record) -> dict[str, Any]:
    return {"key": record.key, "kind": type(record).__name__.lower(), "body": _encode(record).decode()}


def _chunks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _storable(text: str | None) -> str | None:
    """PostgreSQL's text holds no NUL; in records it is escaped, in reasons it tells nothing."""
    return None if text is None else text.replace("\0", "")


def _may_return(error: sa.exc.OperationalError) -> bool:
    """Whether the database may be back in a moment. A full disk or a file that cannot be written is not that."""
    state: str | None = getattr(error.orig, "sqlstate", "a database file has none")
    return state is None or state.startswith(LOST) or state in CLASHED


@cache
def _boot() -> str | None:
    """Names the time since this machine started; process numbers and monotonic clocks are of one such time."""
    return BOOT_ID.read_text().strip() if BOOT_ID.exists() else None


def _process_exists(pid: int) -> bool:
    if os.name == "nt":  # there, this question is a Ctrl-C to the process; who is gone is told by the missing beat
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
