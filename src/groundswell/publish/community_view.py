"""The community page: from posts to samples, posts by day, what people complain of, and how new their prompts are.

Everything is a count or a look-up by key. A comment is quoted from the feedback of a sample that is here; the others
are counted and said to be not at hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from groundswell.publish import charts, figures, model_view, sample_view, wording
from groundswell.publish.charts import DayCount, Dot, SetShare
from groundswell.publish.facts import Facts
from groundswell.publish.sidelights import Community, Complaint, KindShare, TaskKind
from groundswell.records import Picture

WORDS: Final = 60
"""Keywords in the cloud."""

OPENED: Final = 8
"""Comments that one word or one kind opens; more are counted."""

SIZES: Final = (28, 20, 16, 14)
"""Steps of the type scale for words, the most frequent first."""

FARTHEST: Final = 8
"""Prompts that are listed as farthest from the older sets."""

QUALITIES: Final = ("Benchmark", "Analysis", "Trash")


def community(facts: Facts) -> Community:
    """What the snapshot says of the community; empty where nobody looked."""
    return facts.snapshot.beside.community or Community()


def funnel(facts: Facts) -> list[dict[str, Any]]:
    """Steps from posts to samples with their counts, and the share of the step before that they keep."""
    found, told = facts.snapshot.funnel, community(facts)
    steps: list[tuple[str, int, str]] = [
        ("posts found", found.posts, ""),
        ("conversations", found.threads, ""),
    ]
    if told.judged and told.relevant is not None:
        steps.append(("relevant", told.relevant, f"{wording.percent(told.relevant / told.judged)} of those judged"))
    steps.append(("samples made", found.samples, ""))
    kept = f"{wording.percent(found.runnable / found.samples)} of the samples" if found.samples else ""
    steps.append(("can be run", found.runnable, kept))
    top = max(1, found.posts)
    return [{"name": name, "count": count, "part": min(1.0, count / top), "note": note} for name, count, note in steps]


def qualities(facts: Facts) -> list[tuple[str, int, float]]:
    """What the conversations are good for: name, count and share; of the samples alone where only these are known."""
    counts = dict(community(facts).qualities or facts.snapshot.funnel.qualities)
    total = sum(counts.values())
    names = [name for name in QUALITIES if name in counts] + sorted(counts.keys() - set(QUALITIES))
    return [(name, counts[name], counts[name] / total) for name in names if total]


# --- days ---------------------------------------------------------------------------------------------------------


def days(facts: Facts) -> dict[str, Any] | None:
    """Posts by day from the first to the last, with the numbered releases; None without a dated post."""
    counts = facts.snapshot.funnel.posts_by_day
    if not counts:
        return None
    released = _releases(facts)
    first, last = date.fromisoformat(min(counts)), date.fromisoformat(max(counts))
    listed: list[dict[str, Any]] = []
    columns = []
    for number in range((last - first).days + 1):
        day = (first + timedelta(days=number)).isoformat()
        names = released.get(day, ())
        if names:
            listed.append({"number": len(listed) + 1, "day": day, "names": names})
        columns.append(DayCount(day, counts.get(day, 0), len(listed) if names else None, names))
    return {"svg": charts.days(columns), "released": listed, "first": first, "last": last}


def _releases(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """By day: what the workspace says came out, and the endpoints that became public."""
    found: dict[str, set[str]] = defaultdict(set)
    for day, names in community(facts).releases.items():
        found[day].update(names)
    for endpoint in facts.snapshot.endpoints.values():
        if endpoint.public_from is not None:
            found[endpoint.public_from[:10]].add(endpoint.name)
    return {day: tuple(sorted(names)) for day, names in found.items()}


# --- complaints ---------------------------------------------------------------------------------------------------


def kinds(facts: Facts) -> list[dict[str, Any]]:
    """Kinds of complaints, the most frequent first, each with the metric that shows it and its comments."""
    told = community(facts)
    groups: dict[str, list[Complaint]] = defaultdict(list)
    for complaint in told.complaints:
        groups[complaint.kind].append(complaint)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    top = max((len(many) for _, many in ranked), default=1)
    return [
        {
            "name": name,
            "count": len(many),
            "part": len(many) / top,
            "metric": told.metrics.get(name),
            **_opened(facts, many),
        }
        for name, many in ranked
    ]


def words(facts: Facts) -> list[dict[str, Any]]:
    """Keywords of the complaints in the order of the alphabet, sized by how many posts use them."""
    users: dict[str, list[Complaint]] = defaultdict(list)
    for complaint in community(facts).complaints:
        for word in dict.fromkeys(complaint.keywords):
            users[word].append(complaint)
    chosen = sorted(users, key=lambda word: (-len(users[word]), word))[:WORDS]
    steps = {count: step for step, count in enumerate(sorted({len(users[word]) for word in chosen}, reverse=True))}
    return [
        {
            "word": word,
            "id": f"word-{place}",
            "count": len(users[word]),
            "size": SIZES[_step(steps[len(users[word])], len(steps))],
            **_opened(facts, users[word]),
        }
        for place, word in enumerate(sorted(chosen, key=lambda word: (word.casefold(), word)))
    ]


def _step(place: int, steps: int) -> int:
    """The place on SIZES of the `place`-th of `steps` counts: words that all count alike are small."""
    return len(SIZES) - 1 if steps == 1 else round(place * (len(SIZES) - 1) / (steps - 1))


def _opened(facts: Facts, many: Sequence[Complaint]) -> dict[str, Any]:
    """The comments of some complaints that are here, and how many more there are."""
    here = [comment for complaint in many if (comment := facts.said.get(complaint.post)) is not None]
    return {
        "comments": [_comment(facts, *each) for each in here[:OPENED]],
        "more": max(0, len(here) - OPENED),
        "away": len(many) - len(here),
    }


def _comment(facts: Facts, text: str, key: str) -> dict[str, Any]:
    pictures: list[Picture] = [*facts.samples[key].inputs[:1]]
    best = next((name for name in facts.order if not facts.models[name].baseline), None)
    if best is not None and (made := model_view.first_picture(facts, key, best)) is not None:
        pictures.append(made)
    return {
        "text": text,
        "sample": key,
        "title": sample_view.title_of(facts.samples[key], 60),
        "pictures": [picture for picture in pictures if picture.digest in facts.snapshot.shown],
    }


# --- novelty ------------------------------------------------------------------------------------------------------


def novelty(facts: Facts) -> dict[str, Any]:
    """The map of prompts over older sets, what is farthest from these, and why there is none."""
    found = community(facts).novelty
    spots = [spot for spot in found.spots if spot.sample in facts.samples and facts.samples[spot.sample].prompts]
    if not spots or not found.older:
        return {"svg": None, "why": found.why or "no prompt on it may be passed on"}
    dots = [
        Dot(spot.x, spot.y, _title(facts, spot.sample), f"samples/{spot.sample}.html", spot.novel) for spot in spots
    ]
    far = sorted((spot for spot in spots if spot.nearest is not None), key=lambda each: (each.nearest, each.sample))
    return {
        "svg": charts.novelty(dots, {each.name: each.points for each in found.older}),
        "older": [(charts.legend(place), each.name, len(each.points)) for place, each in enumerate(found.older)],
        "count": len(spots),
        "novel": sum(spot.novel for spot in spots),
        "explained": found.explained,
        "farthest": [(spot.nearest, spot.sample, _title(facts, spot.sample)) for spot in far[:FARTHEST]],
    }


def _title(facts: Facts, key: str) -> str:
    return sample_view.title_of(facts.samples[key], 160)


def task_kinds(facts: Facts) -> dict[str, Any]:
    """Kinds of tasks in our prompts and in older sets, those first that older sets surely have less of."""
    told = community(facts)
    sets = list(dict.fromkeys(name for kind in told.task_kinds for name in kind.older))
    ends = [end for kind in told.task_kinds for each in (kind.ours, *kind.older.values()) for end in _ends(each)]
    scale = figures.scale_of([0.0, *ends], pad=0.02)
    return {
        "why": told.task_kinds_why,
        "sets": [(charts.legend(place), name) for place, name in enumerate(sets)],
        "axis": figures.axis(scale, share=True),
        "rows": [_kind(facts, kind, sets, scale) for kind in told.task_kinds],
    }


def _ends(share: KindShare) -> Iterable[float]:
    return [end for end in (share.low, share.high, _part(share)) if end is not None]


def _part(share: KindShare) -> float | None:
    return share.n / share.of if share.of else None


def _kind(facts: Facts, kind: TaskKind, sets: Sequence[str], scale: figures.Scale) -> dict[str, Any]:
    mine = _part(kind.ours)
    older = [
        SetShare(name, part, share.low, share.high)
        for name in sets
        if (share := kind.older.get(name)) is not None and (part := _part(share)) is not None
    ]
    ours = None if mine is None else SetShare("ours", mine, kind.ours.low, kind.ours.high)
    return {
        "name": kind.kind,
        "means": kind.means,
        "ours": kind.ours,
        "older": [kind.older.get(name) for name in sets],
        "svg": None if ours is None else charts.shares(scale, ours, older),
        "lacking": kind.lacking_in,
        "examples": [(key, _title(facts, key)) for key in kind.examples if key in facts.samples],
    }


def platforms(facts: Facts) -> list[tuple[str, int]]:
    """Where the posts stand, most first."""
    return sorted(Counter(facts.snapshot.funnel.platforms).items(), key=lambda pair: (-pair[1], pair[0]))


def diversity(facts: Facts) -> list[tuple[str, str]]:
    """What the corpus says of the wording of its prompts: name and number with its unit."""
    told: Mapping[str, Any] = community(facts).wording
    lines = []
    if (copies := told.get("near_duplicates")) is not None:
        lines.append(("near-duplicates among the prompts", wording.number(copies)))
    for name, part in ((told.get("leading_bigrams") or {}).get("at_equal_n") or {}).items():
        lines.append((f"different first two words, {name}", wording.percent(part)))
    fluency = told.get("fluency") or {}
    if fluency.get("median_perplexity") is not None:
        of = f"{fluency['model']}, {fluency['measured']} of {fluency['wanted']} prompts"
        lines.append((f"median perplexity ({of})", wording.short(fluency["median_perplexity"])))
    return lines
