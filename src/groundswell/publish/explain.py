"""The way home of a number: from a rating to its comparisons, to grades and votes, to raw replies, outputs, the sample,
its thread and the posts, each with its key.

It reads the store and repeats what it says. Nothing is recomputed but the counts of wins, ties and losses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
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
    Measurement,
    NotApplicable,
    Outcome,
    Output,
    Picture,
    Post,
    Sample,
    Thread,
    Verdict,
    Vote,
)


def explain(
    store: ports.Store,
    board: Board,
    model: str,
    sample: str | None,
    *,
    comparisons: Iterable[Comparison] = (),
    blobs: str = "",
) -> dict[str, Any]:
    """Follow a model's number on a board home; with `sample` (a key or the beginning of one), to the posts.

    `comparisons` are those that the board was made of; `blobs` is where pictures lie, for their paths. Raises UserError
    for a model that is not on the board, and for a sample in which it was not compared.
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
        "board": {
            "name": board.name,
            "modality": board.modality,
            "edition": board.edition,
            "key": board.key,
            "simulated": board.method.get("simulated"),
        },
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
    key = _whole_key(sample, by_sample, f"in which {model} was compared")
    compared = [{"key": each.key, "vote": isinstance(each, Vote), **_comparison(each)} for each in by_sample[key]]
    return answer | {"comparisons": compared} | _one_sample(store, key, model, blobs)


def explain_metric(
    store: ports.Store, metric: str, model: str, sample: str | None, *, blobs: str = ""
) -> dict[str, Any]:
    """Follow the mean of a metric over a model's outputs home: to each output's number or why it has none; with
    `sample`, to the picture, the sample and the posts. Raises UserError where nothing of it was measured.
    """
    names = {endpoint.key: endpoint.name for endpoint in store.records(Endpoint)}
    outputs = {each.key: each for each in store.records(Output) if names.get(each.endpoint) == model}
    found: dict[tuple[str, int], list[Measured]] = defaultdict(list)
    for each in store.records(Measured):
        if each.metric == metric and each.output in outputs:
            found[each.backend, each.version].append(each)
    if not found:
        raise UserError(f"no output of {model} was measured for {metric}")
    answer: dict[str, Any] = {
        "metric": metric,
        "model": model,
        "columns": [_column(backend, version, many) for (backend, version), many in sorted(found.items())],
    }
    if sample is None:
        return answer
    by_sample: dict[str, list[Measured]] = defaultdict(list)
    for many in found.values():
        for each in many:
            by_sample[each.sample].append(each)
    key = _whole_key(sample, by_sample, f"whose output of {model} was measured")
    return answer | {"comparisons": []} | _one_sample(store, key, model, blobs)


def _column(backend: str, version: int, many: Sequence[Measured]) -> dict[str, Any]:
    """One backend's numbers, the lowest first, their mean over samples, and the outputs that have none."""
    numbers = sorted((each for each in many if isinstance(each, Measurement)), key=lambda each: (each.value, each.key))
    by_sample: dict[str, list[float]] = defaultdict(list)
    for each in numbers:
        by_sample[each.sample].append(each.value)
    means = [fmean(values) for values in by_sample.values()]
    rows = [{"value": each.value, "sample": each.sample, "output": each.output, "key": each.key} for each in numbers]
    silent = [
        {"why": each.why, "sample": each.sample, "output": each.output, "key": each.key}
        for each in many
        if isinstance(each, NotApplicable)
    ]
    return {"backend": backend, "version": version, "mean": fmean(means) if means else None, "samples": len(means),
            "values": rows, "silent": silent}  # fmt: skip


def _standing(board: Board, model: str) -> dict[str, Any]:
    for rating in board.ratings:
        if rating.model == model:
            return {"rating": msgspec.to_builtins(rating), "unranked": None}
    for each in board.unranked:
        if each.model == model:
            return {"rating": None, "unranked": msgspec.to_builtins(each)}
    known = ", ".join([rating.model for rating in board.ratings] + [each.model for each in board.unranked])
    raise UserError(f"{model} is not on the board {board.name}; there are: {known or 'no models'}")


def _whole_key(start: str, keys: Iterable[str], which: str) -> str:
    found = [key for key in keys if key.startswith(start)]
    if len(found) != 1:
        said = f"{len(found)} samples {which} have keys" if found else f"no sample {which} has a key"
        raise UserError(f"{said} that begin{'' if found else 's'} with {start!r}")
    return found[0]


def _counts(record: WinLoss) -> dict[str, Any]:
    return {"wins": record.wins, "ties": record.ties, "losses": record.losses, "share": record.share}


def _one_sample(store: ports.Store, key: str, model: str, blobs: str) -> dict[str, Any]:
    """Everything about one sample: its inputs, the outputs, the model's first, what was said of them, its origin."""
    sample = store.get(key)
    endpoints = {endpoint.key: endpoint.name for endpoint in store.records(Endpoint)}
    outcomes = [each for each in store.records(Outcome) if each.sample == key]
    verdicts = [each for each in store.records(Verdict) if each.sample == key]
    measured = [each for each in store.records(Measured) if each.sample == key]
    named = {each.key: endpoints.get(each.endpoint, each.endpoint) for each in outcomes}
    return {
        "sample": {"key": key, "gone": True} if not isinstance(sample, Sample) else _with_key(sample),
        "inputs": _files(sample.inputs, blobs) if isinstance(sample, Sample) else [],
        "outputs": [
            {
                **_with_key(outcome),
                "model": named[outcome.key],
                "blobs": _files(outcome.pictures, blobs) if isinstance(outcome, Output) else [],
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


def _files(pictures: Iterable[Picture], blobs: str) -> list[dict[str, str]]:
    """Pictures by digest, with the place of their bytes in the blobs."""
    root = f"{blobs.rstrip('/')}/" if blobs else ""
    digests = [picture.digest for picture in pictures]
    return [{"digest": digest, "file": f"{root}{digest[:2]}/{digest[2:]}"} for digest in digests]


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
    yield from _metric_story(found) if "metric" in found else _board_story(found)
    if "sample" in found:
        yield from _sample_story(found)


def _metric_story(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['metric']} of {found['model']}"
    for column in found["columns"]:
        mean = "no number" if column["mean"] is None else f"mean {column['mean']:.4g} over {column['samples']} samples"
        silent = f", {len(column['silent'])} outputs without one" if column["silent"] else ""
        yield f"  {column['backend']}, version {column['version']}: {mean}{silent}"
        if "sample" in found:
            continue
        for row in column["values"]:
            yield f"    {row['value']:<12.4g} sample {row['sample']}  output {row['output']}  {row['key']}"
        for row in column["silent"]:
            yield f"    {'-':<12} sample {row['sample']}  {row['why']}  {row['key']}"
    if "sample" not in found:
        yield "  go on with --sample KEY, the beginning of a key is enough"


def _board_story(found: Mapping[str, Any]) -> Iterator[str]:
    board, rating = found["board"], found["rating"]
    yield f"{found['model']} on {board['name']} ({board['modality']}, edition {board['edition'] or 'none'})"
    if board["simulated"]:
        yield f"  {board['simulated']}"
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
    if "sample" not in found:
        yield f"  {len(found['samples'])} samples; go on with --sample KEY, the beginning of a key is enough:"
        for row in sorted(found["samples"], key=lambda each: (each["share"] or 0, each["sample"])):
            yield f"    {row['sample']}  {row['wins']} won {row['ties']} tied {row['losses']} lost"


def _sample_story(found: Mapping[str, Any]) -> Iterator[str]:
    sample = found["sample"]
    prompts = [f"{language}: {text}" for language, text in sample.get("prompts", {}).items()]
    yield f"  sample {sample['key']}  {_gone(sample) or ' | '.join(prompts)}"
    yield from (f"  input {blob['file']}" for blob in found["inputs"])
    for each in found["comparisons"]:
        result = {"left": ">", "right": "<"}.get(each["winner"], "=")
        by = f"vote of {each['by']} on ballot {each['ballot']}" if each["vote"] else f"by {each['by']}"
        yield f"    {each['left']} {result} {each['right']}  {by}  {each['key']}"
    for output in found["outputs"]:
        yield f"  {output['kind'].replace('withdrawn', 'withdrawn ')} of {output['model']}  {output['key']}"
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
    for thread in found["threads"]:
        yield f"  thread {thread['key']}  {len(thread['members'])} posts"
    for post in found["posts"]:
        yield f"  post {post['key']}  {_gone(post) or post.get('url') or post['id']}"


def _gone(end: Mapping[str, Any]) -> str | None:
    """What a tombstone says; None for what is there."""
    if not end.get("gone"):
        return None
    stone = end.get("withdrawn")
    return "gone" if stone is None else f"withdrawn on {stone['time'][:10]}: {stone['why']}"
