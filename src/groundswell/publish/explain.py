"""The way home of a number: from a rating to its comparisons, to grades and votes, to raw replies, outputs, the sample,
its thread and the posts, each with its key.

It reads the store and repeats what it says. Nothing is recomputed but the counts of wins, ties and losses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from groundswell import ports
from groundswell.errors import UserError
from groundswell.publish import wording
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
                "measured": [_measured(each) for each in measured if each.output == outcome.key],
            }
            for outcome in sorted(outcomes, key=lambda each: (named[each.key] != model, named[each.key], each.key))
        ],
        **_origin(store, sample),
    }


def _measured(measured: Measured) -> dict[str, Any]:
    """A measurement without the 1,536 counts behind a colour; they stand in the store under its key."""
    found = _with_key(measured)
    found.get("detail", {}).pop("histograms", None)
    return found


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


def story(found: Mapping[str, Any]) -> str:
    """What `explain` found, for a person at a terminal. Controls in strangers' text are written out."""
    return wording.clean("\n".join(_story(found)))


def _story(found: Mapping[str, Any]) -> Iterator[str]:
    board, rating = found["board"], found["rating"]
    yield f"{found['model']} on {board['name']} ({board['modality']}, edition {board['edition'] or 'none'})"
    if rating is None:
        yield f"  not ranked: {found['unranked']['why']}"
    else:
        ends = [None if rating[end] is None else round(rating[end]) for end in ("low", "high")]
        interval = "no interval" if None in ends else f"95 % between {ends[0]} and {ends[1]}"
        yield f"  rating {rating['rating']:.0f}, {interval}, rank {rating['rank_low']} to {rating['rank_high']}"
    yield f"  {'against':<32}  won tied lost  points"
    for row in found["opponents"]:
        share = "-" if row["share"] is None else f"{row['share']:.0%}"
        yield f"  {row['model']:<32} {row['wins']:>4} {row['ties']:>4} {row['losses']:>4} {share:>7}"
    if "sample" in found:
        yield from _sample_story(found)
    else:
        yield f"  {len(found['samples'])} samples; go on with --sample KEY, the beginning of a key is enough:"
        for row in sorted(found["samples"], key=lambda each: (each["share"] or 0, each["sample"])):
            yield f"    {row['sample']}  {row['wins']} won {row['ties']} tied {row['losses']} lost"


def _sample_story(found: Mapping[str, Any]) -> Iterator[str]:
    sample = found["sample"]
    prompts = [f"{language}: {text}" for language, text in sample.get("prompts", {}).items()]
    yield f"  sample {sample['key']}  {'gone' if sample.get('gone') else ' | '.join(prompts)}"
    for each in found["comparisons"]:
        result = {"left": ">", "right": "<"}.get(each["winner"], "=")
        yield f"    {each['left']} {result} {each['right']}  by {each['by']}  {each['key']}"
    for output in found["outputs"]:
        yield f"  {output['kind']} of {output['model']}  {output['key']}"
        yield from (f"    file {blob['file']}" for blob in output["blobs"])
        if output.get("text") or output.get("reason"):
            yield f"    {output.get('text') or output['reason']}"
        for verdict in output["verdicts"]:
            said = verdict.get("scores") or verdict.get("why") or "cut off"
            yield f"    {verdict['kind']} by {verdict['judge']}: {said}  {verdict['key']}"
            yield from (f"      {line}" for line in (verdict.get("reply") or "").splitlines())
        for measured in output["measured"]:
            value = measured["value"] if "value" in measured else measured["why"]
            yield f"    {measured['metric']} ({measured['backend']}): {value}  {measured['key']}"
    for post in found["posts"]:
        yield f"  post {post['key']}  {'gone' if post.get('gone') else post.get('url') or post['id']}"
