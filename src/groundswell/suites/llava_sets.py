"""Samples of the LLaVA-Bench sets: in the wild, COCO with boxes, and text only (METHODS, section 1).

A set is a JSONL file of questions; contexts, reference answers and pictures are found beside it by their columns and
names. A question whose picture is not at hand is a sample that says so: its collected answers can still be judged.
Scores and rubrics are not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Licence, Picture, Sample
from groundswell.suites.sources import NO_OPTIONS, Keep, Options, file_bytes, kept, named_file

SUITE = "llava"
IN_THE_WILD = "llava_bench_"
"""Prefix of the categories whose context is a caption; questions may leave it out, reviews do not."""

SET_LICENCE = Licence(id="unstated", source="LLaVA-Bench; no licence comes with the questions or their pictures")
COCO_SET_LICENCE = Licence(
    id="CC-BY-4.0", source="captions and boxes of COCO 2014; questions of LLaVA", redistribute=True, derivatives=True
)
COCO_LICENCE = Licence(id="Flickr terms of use", source="COCO 2014 validation pictures")

PICTURE_FOLDERS = ("images", "pictures", "val2014")


class Question(msgspec.Struct, kw_only=True, frozen=True):
    """A row of a file of questions."""

    question_id: int | str
    text: str
    category: str = "default"
    image: str | None = None


class Instance(msgspec.Struct, kw_only=True, frozen=True):
    """An object in a COCO picture; the box is relative to the picture's sides."""

    category: str
    bbox: tuple[int | float, int | float, int | float, int | float]


class Context(msgspec.Struct, kw_only=True, frozen=True):
    """What the text-only judge reads in place of the picture."""

    image: str | None = None
    id: int | str | None = None
    caption: str | list[str] | None = None
    captions: list[str] | None = None
    instances: list[Instance] = []

    @property
    def of(self) -> str:
        """Name of the picture without its ending."""
        return Path(self.image if self.image is not None else str(self.id)).stem

    @property
    def text(self) -> str:
        """Captions one a line; then, after a blank line, one `category: [x1, y1, x2, y2]` line an object."""
        lines = self.captions if self.captions is not None else self.caption
        told = lines if isinstance(lines, str) else "\n".join(lines or ())
        boxes = "\n".join(f"{thing.category}: {list(thing.bbox)}" for thing in self.instances)
        return f"{told}\n\n{boxes}" if boxes else told


class Answer(msgspec.Struct, kw_only=True, frozen=True):
    """A row of a file of answers, by a model or by the text-only reference."""

    question_id: int | str
    text: str
    prompt: str | None = None
    answer_id: str | None = None
    model_id: str | None = None


def samples(source: Path, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples of a file of questions, or of the folder that holds it, in the order of the questions.

    Raises UserError with file and line, also for a question that stands twice and a context that is missing.
    """
    questions = _questions_file(source)
    contexts = _contexts(options.contexts or _beside(questions, "caption", "captions"))
    references = _references(options.references or _reference_file(questions))
    folder = options.pictures or _picture_folder(questions.parent)
    seen: dict[str, int] = {}
    for line, question in files.read_structs(questions, Question):
        label = str(question.question_id)
        first = seen.setdefault(label, line)
        if first != line:
            raise UserError(f"question {label} stands twice (first in line {first})", where=questions, line=line)
        context = _context_of(question, contexts, questions, line)
        of_coco = context is not None and context.captions is not None
        path = None
        if question.image is not None and folder is not None:
            path = named_file(question.image, folder, options, questions, line)
        inputs: tuple[Picture, ...] = ()
        if path is not None and path.exists():
            data = file_bytes(path, questions, line)
            inputs = (kept(keep, data, COCO_LICENCE if of_coco else SET_LICENCE, questions, line),)
        yield Sample(
            suite=SUITE,
            task="chat",
            prompts={"en": question.text},
            label=label,
            inputs=inputs,
            context=None if context is None else context.text,
            reference=references.get(label),
            tags={"category": category_of(question.category, context), "question_id": question.question_id},
            not_runnable=None if question.image is None or inputs else f"the picture {question.image} is not at hand",
            licence=COCO_SET_LICENCE if of_coco else SET_LICENCE,
        )


def category_of(category: str, context: Context | None) -> str:
    """The category as reviews and rules name it: prefixed in the wild, bare for COCO and for text only."""
    bare = category.removeprefix(IN_THE_WILD)
    in_the_wild = context is not None and context.caption is not None
    return IN_THE_WILD + bare if in_the_wild else bare


def _context_of(question: Question, contexts: Mapping[str, Context], where: Path, line: int) -> Context | None:
    if question.image is None:
        return None
    context = contexts.get(Path(question.image).stem)
    if context is None and contexts:
        raise UserError(f"no context describes its picture {question.image}", where=where, line=line)
    return context


def _contexts(path: Path | None) -> dict[str, Context]:
    if path is None:
        return {}
    found: dict[str, Context] = {}
    for line, context in files.read_structs(path, Context):
        if context.caption is None and context.captions is None:
            raise UserError("a context needs caption or captions", where=path, line=line)
        if context.of in found:
            raise UserError(f"the picture {context.of} is described twice", where=path, line=line)
        found[context.of] = context
    return found


def _references(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    found: dict[str, str] = {}
    for line, answer in files.read_structs(path, Answer):
        if found.setdefault(str(answer.question_id), answer.text) != answer.text:
            raise UserError(f"question {answer.question_id} is answered twice", where=path, line=line)
    return found


def _columns(path: Path) -> set[str]:
    """Columns of the first row, empty where there is none to read."""
    try:
        return set(next(files.read_rows(path))[1])
    except UserError:
        return set()


def is_questions(path: Path) -> bool:
    """Whether a JSONL file holds questions (and neither answers nor reviews)."""
    columns = _columns(path)
    return {"question_id", "text"} <= columns and not columns & {"answer_id", "model_id", "answer1_id", "review_id"}


def _questions_file(source: Path) -> Path:
    if not source.is_dir():
        return source
    found = [path for path in sorted(source.glob("*.jsonl")) if is_questions(path)]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise UserError(f"one JSONL file of questions is wanted in this folder, found {names}; name it", where=source)
    return found[0]


def _beside(questions: Path, *columns: str) -> Path | None:
    """The one other JSONL file in the folder that has one of these columns."""
    others = (path for path in sorted(questions.parent.glob("*.jsonl")) if path != questions)
    found = [path for path in others if _columns(path) & set(columns)]
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise UserError(f"several files of contexts lie beside it ({names}); name one", where=questions)
    return found[0] if found else None


def _reference_file(questions: Path) -> Path | None:
    """Reference answers by the name that the published sets use: answers of gpt4, or `reference`."""
    found = [
        path
        for path in sorted(questions.parent.glob("*.jsonl"))
        if ("gpt4" in path.stem or "reference" in path.stem) and {"question_id", "text"} <= _columns(path)
    ]
    return found[0] if len(found) == 1 else None


def _picture_folder(folder: Path) -> Path | None:
    return next((folder / name for name in PICTURE_FOLDERS if (folder / name).is_dir()), None)
