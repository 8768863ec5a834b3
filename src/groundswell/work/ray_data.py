"""More rows than any memory holds: read from many sources, sent to parts by number, joined part by part, by Ray Data.

A source is read by one worker as a stream, and a part is joined by one worker as a whole. What waits in between stands
in Ray's object store, and on its disk when that is full. What rows mean is not known here.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from groundswell.errors import UserError
from groundswell.work.ray import started

Rows = dict[str, NDArray[Any]]
"""Columns of one length; what a column of bytes holds are objects. `PART` says to which part a row goes."""

PART = "part"

S = TypeVar("S")


def exchanged(
    sources: Sequence[S],
    read: Callable[[S], Iterator[Rows]],
    joins: Sequence[Callable[[Rows], Rows]],
) -> Iterator[Rows]:
    """What the last of `joins` makes of the rows of all sources, part by part, in no order.

    A join is given all rows of one part at once; what it gives is sent to parts again for the next one. `read` and
    `joins` are pickled. A worker that dies is replaced, and what it had begun is begun again. A UserError of theirs is
    raised here.
    """
    if not sources:
        return
    _quiet()
    data = started().data
    packed = [{"source": pickle.dumps(source)} for source in sources]
    rows = data.from_items(packed, override_num_blocks=len(packed))
    rows = rows.map_batches(_reading(read), batch_size=1, batch_format="numpy")
    for join in joins:
        rows = rows.groupby(PART).map_groups(_joining(join), batch_format="numpy")
    try:
        yield from rows.iter_batches(batch_size=None, batch_format="numpy")
    except UserError as error:
        # Ray adds lines of its own to the one of ours.
        raise UserError(str(error.cause).splitlines()[0]) from None  # type: ignore[attr-defined]


def _reading(read: Callable[[Any], Iterator[Rows]]) -> Callable[[Rows], Iterator[Rows]]:
    def work(batch: Rows) -> Iterator[Rows]:
        for source in batch["source"]:
            yield from read(pickle.loads(source))

    return work


def _joining(join: Callable[[Rows], Rows]) -> Callable[[Rows], Rows]:
    def work(batch: Rows) -> Rows:
        # A source without rows leaves a block without columns.
        return join(batch) if len(batch.get(PART, ())) else {PART: np.empty(0, np.int64)}

    return work


def _quiet() -> None:
    """Ray Data tells of its plans on stderr, which belongs to the progress of the command."""
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    # Its hash shuffle fails where a part is empty: a block without rows loses its columns (2.60).
    context.shuffle_strategy = ray.data.context.ShuffleStrategy.SORT_SHUFFLE_PULL_BASED
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
