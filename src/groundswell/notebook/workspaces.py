"""A workspace opened to be read: its boards and facts as tables, and the way from a number home.

Nothing can be written through it. Boards are computed when they are asked for, as the command `boards` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import polars as pl

from groundswell.errors import StoreError, UserError
from groundswell.flow import standing
from groundswell.flow.running import totals
from groundswell.flow.workspace import Workspace, workspace
from groundswell.notebook.frames import Table, text_of
from groundswell.notebook.results import Told
from groundswell.publish.explain import story
from groundswell.records import (
    Endpoint,
    Judgment,
    Measured,
    Outcome,
    Output,
    Post,
    Record,
    Rubric,
    Sample,
    Thread,
    Timing,
    Unread,
    Verdict,
    Vote,
)

Columns = Mapping[str, tuple[Any, Callable[[Any], Any]]]
"""Columns of a table of records: the type of each, and how it is had of a record."""


def open_workspace(folder: str | Path) -> OpenWorkspace:
    """The workspace of a folder, to be read: `with open_workspace("bench") as space: space.boards()`.

    Raises UserError where there is none, where nothing was stored in it yet, and where its configuration is wrong.
    """
    return OpenWorkspace(Path(folder))


class OpenWorkspace:
    """An open workspace. Close it, or use it in a `with` statement; a closed one raises UserError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._context: AbstractContextManager[Workspace] | None = workspace(folder, read_only=True)
        self._opened: Workspace | None = self._context.__enter__()

    def close(self) -> None:
        """Let the store go. Closing twice does nothing."""
        context, self._context, self._opened = self._context, None, None
        if context is not None:
            context.__exit__(None, None, None)

    def __enter__(self) -> OpenWorkspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"OpenWorkspace({str(self.folder)!r}{', closed' if self._opened is None else ''})"

    @property
    def _space(self) -> Workspace:
        if self._opened is None:
            raise UserError("this workspace is closed; open it again", where=self.folder)
        return self._opened

    # --- what it says ---------------------------------------------------------------------------------------------

    def boards(self) -> Table:
        """One row a model and board: board, modality, edition, model, rating, low, high, rank_low, rank_high, games,
        win_rate; the unranked with `why`. Ratings are points, 400 of them odds of 10 to 1."""
        rows = []
        for found in self._reading(lambda: standing.standings(self._space)):
            board = found.board
            place = {"board": board.name, "modality": board.modality, "edition": board.edition}
            rows += [place | msgspec.structs.asdict(row) for row in (*board.ratings, *board.unranked)]
        return Table(
            pl.DataFrame([{name: row.get(name) for name in BOARDS} for row in rows], schema=pl.Schema(BOARDS)), "boards"
        )

    def explain(self, board: str, model: str, sample: str | None = None) -> Told:
        """The way from a model's number on a board to comparisons, raw replies, outputs and posts, as a dict that shows
        itself as text. `sample` is a key, or its beginning. Raises UserError for what is not on the board."""
        data = self._reading(lambda: standing.explain(self._space, board, model, sample))
        return Told(data, story(data))

    def status(self) -> Told:
        """What exists, what is missing, what failed and why, as `groundswell status --json`; USD under `spent_usd`."""
        data = self._reading(lambda: totals(self._space))
        columns = ("stage", "done", "failed", "refused", "missing")
        rows = [[name, *(count[state] for state in columns[1:])] for name, count in data["stages"].items()]
        return Told(data, text_of(str(self.folder), columns, rows))

    def _reading(self, ask: Callable[[], Any]) -> Any:
        """What `ask` gives. A suite that was configured and never brought in would have to be written: say so."""
        try:
            return ask()
        except StoreError as error:
            if "readonly" in str(error) or "read-only" in str(error):
                message = "a configured suite is not in the store yet; groundswell run --dry-run brings it in"
                raise UserError(message, where=self.folder) from None
            raise

    # --- facts ----------------------------------------------------------------------------------------------------

    def samples(self) -> Table:
        """One row a sample: key, suite, task, label, prompt, languages, inputs (digests), tags (JSON), ..."""
        return self._table("samples", SAMPLES, Sample)

    def outputs(self) -> Table:
        """One row for what came of a job: kind (output, refusal, failure), sample, model, pictures (digests), text,
        reason, seconds, cost (USD), ..."""
        names = self._endpoints()
        return self._table("outputs", OUTCOMES, Outcome, model=lambda one: names.get(one.endpoint, one.endpoint))

    def judgments(self) -> Table:
        """One row a verdict and dimension: kind, sample, outputs (keys), judge, rubric, dimension, score, why, reply. A
        verdict without a score (unread, blocked, truncated) is one row whose score is null."""
        rubrics = {rubric.key: rubric.name for rubric in self._space.store.records(Rubric)}
        rows = list(_verdicts(self._space.store.records(Verdict), rubrics))
        return Table(pl.DataFrame(rows, schema=pl.Schema(VERDICTS), orient="row"), "judgments")

    def votes(self) -> Table:
        """One row a vote, flagged or not: sample, left, right, winner, by (a session's hash), ballot, time, ..."""
        return self._table("votes", VOTES, Vote)

    def measurements(self) -> Table:
        """One row a measurement: metric, version, backend, value in the metric's own unit; null with `why`."""
        return self._table("measurements", MEASURED, Measured)

    def timings(self) -> Table:
        """One row a timed request: model, start, seconds and its phases; null with `failure`."""
        names = self._endpoints()
        return self._table("timings", TIMINGS, Timing, model=lambda one: names.get(one.endpoint, one.endpoint))

    def posts(self) -> Table:
        """One row a post: platform, id, url, time, text, language, state, reply_to."""
        return self._table("posts", POSTS, Post)

    def threads(self) -> Table:
        """One row a conversation: key, root, main, posts and missing (numbers of posts)."""
        return self._table("threads", THREADS, Thread)

    def _endpoints(self) -> dict[str, str]:
        return {endpoint.key: endpoint.name for endpoint in self._space.store.records(Endpoint)}

    def _table(self, title: str, columns: Columns, kind: type[Record], **others: Callable[[Any], Any]) -> Table:
        """The records of a kind as a table; `others` replace how a column is had."""
        had = {name: others.get(name, get) for name, (_, get) in columns.items()}
        rows = [[get(record) for get in had.values()] for record in self._space.store.records(kind)]
        schema = pl.Schema({name: kind for name, (kind, _) in columns.items()})
        return Table(pl.DataFrame(rows, schema=schema, orient="row"), title)


def _verdicts(verdicts: Iterator[Verdict], rubrics: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    for one in verdicts:
        scores: Mapping[str, float | None] = one.scores if isinstance(one, Judgment) else {None: None}  # type: ignore[dict-item]  # no dimension
        why = one.why if isinstance(one, Unread) else getattr(one, "why", None)
        for dimension, score in scores.items():
            told = (one.key, _kind(one), one.sample, list(one.outputs), one.judge, rubrics.get(one.rubric, one.rubric))
            yield (*told, one.repeat, dimension, score, None if why is None else str(why), one.reply, one.served_model)


def _kind(record: Record) -> str:
    return type(record).__name__.lower()


def _of(name: str) -> Callable[[Any], Any]:
    """The field of a record, None where this kind of record has none."""
    return lambda record: getattr(record, name, None)


def _text(name: str) -> Callable[[Any], Any]:
    return lambda record: None if (value := getattr(record, name, None)) is None else str(value)


def _prompt(sample: Sample) -> str | None:
    """The English prompt, else the first."""
    return sample.prompts.get("en", next(iter(sample.prompts.values()), None))


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


TEXTS, TIME = pl.List(pl.String), pl.Datetime("us", "UTC")
KEY = (pl.String, lambda record: record.key)
KIND = (pl.String, _kind)

BOARDS: Mapping[str, Any] = {
    "board": pl.String,
    "modality": pl.String,
    "edition": pl.String,
    "model": pl.String,
    "rating": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "rank_low": pl.Int64,
    "rank_high": pl.Int64,
    "games": pl.Int64,
    "win_rate": pl.Float64,
    "why": pl.String,
}

SAMPLES: Columns = {
    "key": KEY,
    "suite": (pl.String, _of("suite")),
    "task": (pl.String, _of("task")),
    "label": (pl.String, _of("label")),
    "prompt": (pl.String, _prompt),
    "languages": (TEXTS, lambda sample: list(sample.prompts)),
    "inputs": (TEXTS, lambda sample: [picture.digest for picture in sample.inputs]),
    "capability": (pl.String, lambda sample: _string(sample.tags.get("capability"))),
    "tags": (pl.String, lambda sample: _json(sample.tags)),
    "about": (pl.String, _of("about")),
    "quality": (pl.String, _of("quality")),
    "not_runnable": (pl.String, _of("not_runnable")),
}

OUTCOMES: Columns = {
    "key": KEY,
    "kind": KIND,
    "sample": (pl.String, _of("sample")),
    "model": (pl.String, _of("endpoint")),
    "draw": (pl.Int64, _of("draw")),
    "language": (pl.String, _of("language")),
    "pictures": (TEXTS, lambda one: [each.digest for each in one.pictures] if isinstance(one, Output) else []),
    "text": (pl.String, _of("text")),
    "reason": (pl.String, _of("reason")),
    "seconds": (pl.Float64, _of("seconds")),
    "cost": (pl.Float64, _of("cost")),
    "started": (TIME, _of("started")),
    "served_model": (pl.String, _of("served_model")),
}

VERDICTS: Mapping[str, Any] = {
    "key": pl.String,
    "kind": pl.String,
    "sample": pl.String,
    "outputs": TEXTS,
    "judge": pl.String,
    "rubric": pl.String,
    "repeat": pl.Int64,
    "dimension": pl.String,
    "score": pl.Float64,
    "why": pl.String,
    "reply": pl.String,
    "served_model": pl.String,
}

VOTES: Columns = {
    "key": KEY,
    "sample": (pl.String, _of("sample")),
    "left": (pl.String, _of("left")),
    "right": (pl.String, _of("right")),
    "winner": (pl.String, _text("winner")),
    "by": (pl.String, _of("by")),
    "ballot": (pl.String, _of("ballot")),
    "time": (TIME, _of("time")),
    "seconds_left": (pl.Float64, _of("seconds_left")),
    "seconds_right": (pl.Float64, _of("seconds_right")),
    "methodology": (pl.String, _of("methodology")),
}

MEASURED: Columns = {
    "key": KEY,
    "sample": (pl.String, _of("sample")),
    "output": (pl.String, _of("output")),
    "metric": (pl.String, _of("metric")),
    "version": (pl.Int64, _of("version")),
    "backend": (pl.String, _of("backend")),
    "value": (pl.Float64, _of("value")),
    "why": (pl.String, _of("why")),
}

TIMINGS: Columns = {
    "key": KEY,
    "model": (pl.String, _of("endpoint")),
    "start": (TIME, _of("start")),
    "seconds": (pl.Float64, _of("seconds")),
    "submit": (pl.Float64, _of("submit")),
    "wait": (pl.Float64, _of("wait")),
    "fetch": (pl.Float64, _of("fetch")),
    "failure": (pl.String, _of("failure")),
    "region": (pl.String, _of("region")),
    "cold": (pl.Float64, _of("cold")),
    "cost": (pl.Float64, _of("cost")),
}

POSTS: Columns = {
    "key": KEY,
    "platform": (pl.String, _of("platform")),
    "id": (pl.String, _of("id")),
    "url": (pl.String, _of("url")),
    "time": (TIME, _of("time")),
    "title": (pl.String, _of("title")),
    "text": (pl.String, _of("text")),
    "language": (pl.String, _of("language")),
    "state": (pl.String, _text("state")),
    "reply_to": (pl.String, _of("reply_to")),
}

THREADS: Columns = {
    "key": KEY,
    "root": (pl.String, _of("root")),
    "main": (pl.String, _of("main")),
    "posts": (pl.Int64, lambda thread: len(thread.members)),
    "missing": (pl.Int64, lambda thread: len(thread.missing)),
}


def _string(value: object) -> str | None:
    return None if value is None else str(value)
