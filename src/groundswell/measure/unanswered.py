"""A unit that asked a host and got no answer, as the engine is told of it."""

from __future__ import annotations

from groundswell.records import Broken, Done, UnitState


def unanswered(broken: Broken, cost: float | None) -> Done:
    """The failed unit; `cost` is what asking did cost all the same."""
    return Done(
        state=UnitState.FAILED,
        why=f"{broken.what}: {broken.reason}",
        transient=broken.transient,
        retry_after=broken.retry_after,
        cost=cost,
        tried=not (broken.key_dead or broken.exhausted),
    )
