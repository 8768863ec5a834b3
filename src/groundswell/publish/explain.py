"""The way home of a number: from a rating to its comparisons, to grades and votes, to raw replies, outputs, the sample,
its thread and the posts, each with its key.

It reads the store and repeats what it says. Nothing is recomputed but the counts of wins, ties and losses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from groundswell import ports
from groundswell.errors import UserError
from groundswell.publish.facts import WinLoss
from groundswell.records import (
    Board,
    Comparison,
    Endpoint,
    Measured,
    Outcome,
    Output,
    Post,
    Sample,
    Thread,
    Verdict,
    Vote,
)


def explain(
    store: ports.Store, board: Board, model: str, sample: str | None, *, comparisons: Iterable[Comparison] = ()
) -> dict[str, Any]:
    """Follow a model's number on a board home; with `sample` (a key or the beginning of one), to the posts.

    `comparisons` are those that the board was made of. Raises UserError for a model that is not on the board, and for
    a sample in which it was not compared.
    """
    standing = _standing(board, model)
    mine = [each for each in comparisons if model in (each.left, each.right)]
    by_sample: dict[str, list[Comparison]] = defaultdict(list)
    for each in mine:
        by_sample[each.sample].append(each)
    against: dict[str, WinLoss] = defaultdict(WinLoss)
    for each in mine:
        against[each.right if each.left == model else each.left] += WinLoss.of(each, model)
    answer: dict[str, Any] = {
        "board": {"name": board.name, "modality": board.modality, "edition": board.edition, "key": board.key},
        "model": model,
        **standing,
        "opponents": [{"model": other, **_counts(record)} for other, record in sorted(against.items())],
    }
    if sample is None:
        answer["samples"] = [
            {"sample": key, **_counts(sum((WinLoss.of(each, model) for each in many), WinLoss()))}
            for key, many in sorted(by_sample.items())
        ]
        return answer
    return answer | _one_sample(store, _whole_key(sample, by_sample, model), model, by_sample)


def _standing(board: Board, model: str) -> dict[str, Any]:
    for rating in board.ratings:
        if rating.model == model:
            return {"rating": msgspec.to_builtins(rating), "unranked": None}
    for each in board.unranked:
        if each.model == model:
            return {"rating": None, "unranked": msgspec.to_builtins(each)}
    known = ", ".join([rating.model for rating in board.ratings] + [each.model for each in board.unranked])
    raise UserError(f"{model} is not on the board {board.name}; there are: {known or 'no models'}")


def _whole_key(start: str, by_sample: dict[str, list[Comparison]], model: str) -> str:
    found = [key for key in by_sample if key.startswith(start)]
    if len(found) != 1:
        said = f"{len(found)} samples" if found else "no sample"
        raise UserError(f"{said} in which {model} was compared has a key that begins with {start!r}")
    return found[0]


def _counts(record: WinLoss) -> dict[str, Any]:
    return {"wins": record.wins, "ties": record.ties, "losses": record.losses, "share": record.share}


def _one_sample(store: ports.Store, key: str, model: str, by_sample: dict[str, list[Comparison]]) -> dict[str, Any]:
    """Everything about one sample: comparisons, the model's outputs, what was said of them, and its origin."""
    sample = store.get(key)
    endpoints = {endpoint.key: endpoint.name for endpoint in store.records(Endpoint)}
    outcomes = [each for each in store.records(Outcome) if each.sample == key]
    verdicts = [each for each in store.records(Verdict) if each.sample == key]
    measured = [each for each in store.records(Measured) if each.sample == key]
    named = {each.key: endpoints.get(each.endpoint, each.endpoint) for each in outcomes}
    return {
        "sample": {"key": key, "gone": True} if not isinstance(sample, Sample) else _with_key(sample),
        "comparisons": [
            {"key": each.key, "vote": isinstance(each, Vote), **_comparison(each)} for each in by_sample[key]
        ],
        "outputs": [
            {
                **_with_key(outcome),
                "model": named[outcome.key],
                "blobs": _files(outcome),
                "verdicts": [_with_key(each) for each in verdicts if outcome.key in each.outputs],
                "measured": [_with_key(each) for each in measured if each.output == outcome.key],
            }
            for outcome in sorted(outcomes, key=lambda each: (named[each.key] != model, named[each.key], each.key))
        ],
        **_origin(store, sample),
    }


def _files(outcome: Outcome) -> list[dict[str, str]]:
    """Pictures by digest, with their file below a local blob folder."""
    pictures = outcome.pictures if isinstance(outcome, Output) else ()
    digests = [picture.digest for picture in pictures]
    return [{"digest": digest, "file": f"{digest[:2]}/{digest[2:]}"} for digest in digests]


def _comparison(comparison: Comparison) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(comparison)
    return found


def _origin(store: ports.Store, sample: object) -> dict[str, Any]:
    """The posts that a sample was made of, with their thread; a post that was forgotten ends at its key."""
    if not isinstance(sample, Sample) or not sample.origins:
        return {"posts": [], "threads": []}
    posts: list[dict[str, Any]] = []
    for key in sample.origins:
        post = store.get(key)
        posts.append(_with_key(post) if isinstance(post, Post) else {"key": key, "gone": True})
    origins = set(sample.origins)
    threads = [each for each in store.records(Thread) if not origins.isdisjoint(each.members)]
    return {"posts": posts, "threads": [_with_key(thread) for thread in threads]}


def _with_key(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(record)
    return {"key": record.key, **found}
