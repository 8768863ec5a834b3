"""What went wrong at every endpoint: how often in which way, since when, and in whose words.

A row stands for one endpoint, one stage and one kind of failure. Whether a failure can be mended is not known here;
that a later try did bring an output is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple

from groundswell.records import Blocked, Failure, Outcome, Output, Part, Record, Refusal, Timing

ERROR_PICTURE: Final = "the host's own error picture: the same bytes came for different prompts"
"""Reason of a failure that came as a picture with a good status, and was told by its bytes."""

Kind = Literal["refusal", "provider", "download", "decode", "timeout", "repeated error picture", "blocked"]

Stage = Literal["generate", "judge", "probe"]

KINDS: Final[tuple[Kind, ...]] = (
    "refusal",
    "provider",
    "download",
    "decode",
    "timeout",
    "repeated error picture",
    "blocked",
)
"""In the order in which tables show them. `blocked`: a judge's host would not look at an output."""

_OF_TIMINGS: Final[Mapping[str, Kind]] = {
    "refused": "refusal",
    "provider": "provider",
    "download": "download",
    "decode": "decode",
    "timeout": "timeout",
}
"""The word with which a failed measurement begins."""


class FailureRow(Part, frozen=True, kw_only=True):
    """One kind of failure of one endpoint in one stage."""

    endpoint: str
    stage: Stage
    kind: Kind
    count: int
    """Outputs, verdicts or measurements that were wanted and ended so; one that ended so twice counts once."""
    mended: int
    """Those of them that a later try did bring."""
    first: datetime | None
    """None = none of these records carries a time."""
    last: datetime | None
    example: str
    """The latest reason, in the host's words where it had any."""


class _Seen(NamedTuple):
    """One record that says that something went wrong."""

    endpoint: str
    stage: Stage
    kind: Kind
    unit: str
    time: datetime | None
    reason: str


def failure_rows(records: Iterable[Record], names: Mapping[str, str]) -> list[FailureRow]:
    """Rows by endpoint, stage and kind. `records`: outcomes, verdicts and timings in any order, others are passed over;
    `names`: of endpoints by key, what has none here is left out (a judge carries its own name)."""
    seen: dict[tuple[str, Stage, Kind], list[_Seen]] = defaultdict(list)
    brought: set[str] = set()
    for record in records:
        if isinstance(record, Output):
            brought.add(record.job)
        for found in _failures_of(record, names):
            seen[found.endpoint, found.stage, found.kind].append(found)
    places = sorted(seen, key=lambda place: (place[0], place[1], KINDS.index(place[2])))
    return [_row(seen[place], brought) for place in places]


def _failures_of(record: Record, names: Mapping[str, str]) -> Iterator[_Seen]:
    match record:
        case Blocked():
            yield _Seen(record.judge, "judge", "blocked", record.key, None, record.why)
        case Timing(failure=str(reason)) if record.endpoint in names:
            kind = _OF_TIMINGS.get(reason.partition(":")[0], "provider")
            yield _Seen(names[record.endpoint], "probe", kind, record.key, record.start, reason)
        case Refusal() | Failure() if record.endpoint in names:
            reason = record.reason
            yield _Seen(names[record.endpoint], "generate", _kind(record), record.job, record.started, reason)


def _kind(outcome: Outcome) -> Kind:
    if not isinstance(outcome, Failure):
        return "refusal"
    return "repeated error picture" if outcome.reason == ERROR_PICTURE else outcome.what


def _row(seen: list[_Seen], brought: set[str]) -> FailureRow:
    units = {each.unit for each in seen}
    times = [each.time for each in seen if each.time is not None]
    latest = max(seen, key=lambda each: (each.time is not None, each.time and each.time.timestamp(), each.reason))
    return FailureRow(
        endpoint=latest.endpoint,
        stage=latest.stage,
        kind=latest.kind,
        count=len(units),
        mended=len(units & brought),
        first=min(times, default=None),
        last=max(times, default=None),
        example=latest.reason,
    )
