"""Rubrics of the suites: our own, which stand in files beside this module, and a person's copies of the originals.

Originals are taken word for word, so they have keys of their own and never share a column with ours. What is asked
with a rubric, and what becomes of the scores, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec

from groundswell import files
from groundswell.ask import rubrics
from groundswell.errors import UserError
from groundswell.records import Dimension, Rubric
from groundswell.suites import llava
from groundswell.suites.cpi import HIGH, LOW, WEIGHTS, Subset, dimension_name
from groundswell.suites.llava_sets import IN_THE_WILD

OURS = Path(__file__).parent / "rubrics"

ALIASES = {
    "bg": "background",
    "colour": "color",
    "delete": "remove",
    "style": "stylize",
    "styletransfer": "stylize",
    "pshuman": "portrait",
    "identityconsistency": "identity",
}
"""Other names of the tasks that our rubrics cover, folded."""

WORD_FOR_WORD = "word for word"
"""The rule `origin` of a rubric that is a copy of a published text: nothing is put around what it says."""

LLAVA_RULES = {
    "mode": "reference",
    "temperature": 0.2,
    "max_tokens": 1024,
    "system": "Be a helpful and precise checker of answers.",
}
"""How the published runs asked; a person's rule file says nothing about it."""

REPLY_LINE = re.compile(
    r"^[ \t*\-]*(?P<name>[^\W\d_][^:\n*]{1,60}?)\**:\**[ \t]*"
    r"(?:an?[ ]|the[ ])?(?:(?:whole )?number|score|integer|rating|<[^>\n]*>|\[[^\]\n]*\]|\d)(?P<rest>[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
"""A line of a template that shows how a dimension's score is to be written."""

SCALE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:-|–|to|through)\s*(\d+(?:\.\d+)?)")


class Templates(msgspec.Struct, frozen=True):
    """Rubrics by the folded name of what they are for: `llava/category`, `subset/task`, or `task` of any subset."""

    of: Mapping[str, Rubric]

    def llava(self, category: str) -> Rubric:
        """Rubric of a question's category, bare or prefixed; a text-only category without one has `default`."""
        names = [category, category.removeprefix(IN_THE_WILD), IN_THE_WILD + category]
        if not category.startswith(IN_THE_WILD):
            names.append("default")
        return self._first([f"llava/{name}" for name in names], f"the category {category} has no rule")

    def cpi(self, subset: Subset, task: str) -> tuple[Rubric, ...]:
        """Rubrics of one case: one for general and practical, one a dimension for intelligent."""
        if subset == "intelligent":
            return tuple(self._first([f"{subset}/{name}"], f"{name} has no template") for name in WEIGHTS)
        bare = ALIASES.get(fold(task), task)
        return (self._first([f"{subset}/{task}", task, f"{subset}/{bare}", bare], f"the task {task} has no template"),)

    def _first(self, names: list[str], lack: str) -> Rubric:
        for name in names:
            if (rubric := self.of.get(fold(name))) is not None:
                return rubric
        raise UserError(f"{lack}; there are {', '.join(sorted(self.of))}. Add yours with --templates or a rule file")


def fold(name: str) -> str:
    """A name without case, spaces and hyphens, so that `Low-level` is `lowlevel`."""
    return re.sub(r"[^\w/]|_", "", name).lower()


@cache
def ours() -> Templates:
    """The rubrics of this package."""
    found: dict[str, Rubric] = {}
    for path in sorted([*OURS.glob("cpi-*.md"), *OURS.glob("llava-*.md")]):
        suite, name = path.stem.split("-", 1)
        key = f"llava/{name}" if suite == "llava" else name.replace("intelligent-", "intelligent/")
        found[fold(key)] = rubrics.load(path)
    return Templates(found)


def rule_file(path: Path) -> Templates:
    """A person's own LLaVA rule file: `{key: {role, prompt}}`, word for word."""
    document = files.read_document(path)
    if not isinstance(document, dict):
        raise UserError("a rule file is one JSON object {key: {role, prompt}}", where=path)
    found = {}
    for key, rule in document.items():
        if not isinstance(rule, dict) or not isinstance(rule.get("prompt"), str):
            raise UserError(f"the rule {key} needs a prompt", where=path)
        role = rule.get("role", "Assistant")
        found[fold(f"llava/{key}")] = Rubric(
            name=f"llava-{key}",
            text=rule["prompt"],
            dimensions=llava.DIMENSIONS,
            rules=LLAVA_RULES | {"role": role, "origin": WORD_FOR_WORD},
        )
    return Templates(found)


def template_folder(folder: Path) -> Templates:
    """A person's own CPI templates: JSON files {task: text}, or one .md or .txt file a task, word for word.

    A file whose name holds general, practical or intelligent is for that subset only. A template may begin with a TOML
    head between `+++` lines; without one its dimensions are read from the lines that show the format of the reply, on
    a scale of 1 to 5 unless such a line says otherwise. Raises UserError where none is found.
    """
    if not folder.is_dir():
        raise UserError("name the folder that holds the template files", where=folder)
    found: dict[str, Rubric] = {}
    for path in sorted(folder.iterdir()):
        for task, template in _texts(path).items():
            found |= _template(path, task, template)
    if not found:
        raise UserError("no template here; put .json, .md or .txt files into this folder", where=folder)
    return Templates(found)


def _texts(path: Path) -> Mapping[str, str]:
    if path.suffix == ".json":
        document = files.read_document(path)
        if not isinstance(document, dict):
            raise UserError("a template file is one JSON object {task: text}", where=path)
        return {task: _text(path, task, value) for task, value in document.items()}
    if path.suffix in {".md", ".txt"}:
        return {re.sub(rf"^({'|'.join(get_args(Subset))})[-_ ]", "", path.stem): files.read_text(path)}
    return {}


def _text(path: Path, task: str, value: Any) -> str:
    text = value.get("prompt") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise UserError(f"the template of {task} is not text", where=path)
    return text


def _template(path: Path, task: str, text: str) -> dict[str, Rubric]:
    subset = next((name for name in get_args(Subset) if name in path.stem.lower()), None)
    name = (dimension_name(task) or task) if subset == "intelligent" else task
    key = fold(name if subset is None else f"{subset}/{name}")
    if path.suffix != ".json" and text.startswith("+++"):
        return {key: rubrics.load(path)}
    dimensions = tuple(_dimensions(text))
    if not dimensions:
        raise UserError(
            f"the template of {task} shows no line `Dimension: score`; state them in a head between +++ lines",
            where=path,
        )
    if len({(dimension.low, dimension.high) for dimension in dimensions}) > 1:
        raise UserError(f"the template of {task} has dimensions on different scales; a mean needs one", where=path)
    if not dimensions[0].low < dimensions[0].high:
        raise UserError(f"the scale of {task} goes nowhere; write it as 1-5", where=path)
    rules = {"mode": "grade", "temperature": 0.0, "max_tokens": 1024, "origin": WORD_FOR_WORD}
    return {key: Rubric(name=f"cpi-{key}", text=text, dimensions=dimensions, rules=rules)}


def _dimensions(text: str) -> list[Dimension]:
    found: dict[str, Dimension] = {}
    for line in REPLY_LINE.finditer(text):
        scale = SCALE.search(text, line.end("name"), line.end())
        low, high = (float(scale[1]), float(scale[2])) if scale else (LOW, HIGH)
        name = line["name"].strip()
        found.setdefault(name, Dimension(name=name, low=low, high=high))
    return list(found.values())
