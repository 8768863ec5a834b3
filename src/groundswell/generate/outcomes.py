"""What came of every endpoint's jobs, counted: outputs, refusals, and failures by the step at which they happened."""

from __future__ import annotations

from collections import Counter, defaultdict

from groundswell.generate.reference import is_reference
from groundswell.ports import Store
from groundswell.records import Endpoint, Failure, Outcome, Output, Refusal


def tally_of(store: Store) -> dict[str, dict[str, int]]:
    """By endpoint's name `{done, refused, provider, download, decode, timeout, not_as_asked}`, zeros left out.

    A job that failed and was done later counts as done; one that failed in several ways counts once, as it failed last.
    """
    names = {each.key: each.name for each in store.records(Endpoint) if not is_reference(each)}
    last: dict[str, tuple[str, str]] = {}
    not_as_asked: Counter[str] = Counter()
    for outcome in store.records(Outcome):
        if (name := names.get(outcome.endpoint)) is None:
            continue
        if (
            outcome.job not in last
            or isinstance(outcome, Output | Refusal)
            or last[outcome.job][1] not in ("done", "refused")
        ):
            last[outcome.job] = (name, _kind(outcome))
        not_as_asked[name] += isinstance(outcome, Output) and bool(outcome.differs)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, kind in last.values():
        counts[name][kind] += 1
    for name, count in not_as_asked.items():
        if count:
            counts[name]["not_as_asked"] = count
    return {name: dict(counts[name]) for name in sorted(counts)}


def _kind(outcome: Outcome) -> str:
    match outcome:
        case Output():
            return "done"
        case Failure():
            return outcome.what
        case _:
            return "refused"
