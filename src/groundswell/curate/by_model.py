"""The model reader: questions of curation put to a model, answers read strictly by their form.

What to ask stands in `asked/*.md`. Everything that somebody posted goes inside fences that it cannot end
(`ask.rubrics`), so what a post says to its reader stays part of the post. A reply that is not in the form is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from groundswell.ask import rubrics
from groundswell.ask.asking import PICTURE_TOKENS, Desk, cost_of, expected_cost_of_text
from groundswell.ask.hearing import Heard
from groundswell.curate.boxes import AmbiguousBox, in_pixels
from groundswell.curate.conversation import Conversation
from groundswell.curate.questions import Question, checked
from groundswell.curate.replies import schema
from groundswell.errors import HostError, PluginError
from groundswell.records import Answer, Broken, Json, Picture, Request, Rubric, Usage
from groundswell.wire.conversation import converse

VERSION = 2
"""Of the questions in `asked`; raised with every change of their words."""

ROOM = 4096
"""Tokens for an answer: it repeats an instruction, which may be long."""

MOST_PICTURES = 16
"""Pictures shown with one question; hosts refuse more."""

SEES_PICTURES = frozenset({Question.RELEVANCE, Question.ROLES, Question.BLANKS, Question.SCREENSHOT})

Sizes = Mapping[tuple[str, int], tuple[int, int]]
"""Width and height of the pictures that were shown, by the label and place under which they were."""

SCREEN = ("", 0)
"""Where the only picture of a question about one stands."""

Describe = Callable[[str], Picture | None]
"""The picture with a digest; None where its bytes are not at hand."""


class ModelReader:
    """`ports.Reader`: answers of a model at a desk. `describe` finds pictures by digest."""

    version = VERSION

    def __init__(self, desk: Desk, describe: Describe) -> None:
        self.name = desk.judge
        self._desk = desk
        self._describe = describe

    def price(self, question: str, material: Json) -> float | None:
        """USD that an answer is expected to cost, with the whole room used; None where the price is unknown."""
        text, pictures, _ = self._put(Question(question), material)
        price = self._desk.endpoint.price
        shown = sum(isinstance(part, Picture) for part in pictures)
        texts = expected_cost_of_text(text, ROOM, price)
        seen = cost_of(price, Usage(tokens_in=shown * PICTURE_TOKENS, tokens_out=0))
        if price is not None and price.tokens_in is None:
            return texts
        return None if texts is None or seen is None else texts + seen

    async def read(self, question: str, material: Json) -> Json:
        """The answer in the question's form, or None where the model sees none. Raises HostError."""
        heard = await self.hear(question, material)
        if heard.unread is not None:
            raise HostError(heard.unread, transient=False)
        return heard.answer

    async def hear(self, question: str, material: Json) -> Heard:
        """The answer, or why there is none, with the raw reply and the cost of both. Raises HostError where the host
        failed."""
        asked = Question(question)
        text, pictures, labels = self._put(asked, material)
        request = Request(
            model=self._desk.endpoint.model,
            want="text",
            parts=(text, *pictures),
            max_tokens=ROOM,
            temperature=0.0,
            schema=None if asked is Question.PROMPT else schema(asked),
        )
        talk = await converse(self._desk.wire, self._desk.provider, self._desk.endpoint, request, self._desk.line)
        end = talk.end
        if isinstance(end, Broken):
            raise HostError(f"{end.what}: {end.reason}", transient=end.transient, status=end.status)
        if not isinstance(end, Answer):
            return Heard(None, cost=end.cost, raw=end.raw, unread=f"the reader's host refused: {end.reason}")
        cost = cost_of(self._desk.endpoint.price, end.usage) if end.cost is None else end.cost
        try:
            return Heard(
                answer_of(asked, end.text or "", labels, self._sizes(asked, material)), cost=cost, raw=end.text
            )
        except HostError as error:
            return Heard(None, cost=cost, raw=end.text, unread=str(error))

    def _put(self, question: Question, material: Json) -> tuple[str, list[str | Picture], Mapping[str, str]]:
        """The question's text, the pictures behind it, and what its labels stand for."""
        if question is Question.SCREENSHOT:
            picture = self._describe(material["digest"])
            return _rubric(question).text, [f"The picture{_size(picture)}:", picture] if picture else [], {}
        talk = msgspec.convert(material["conversation"], Conversation)
        labels = {f"p{number}": post.key for number, post in enumerate(talk.posts)}
        fields = {"conversation": "\n\n".join(_told(talk))}
        if question in (Question.ROLES, Question.BLANKS):
            fields["prompt"] = (material.get("prompt") or {}).get("text", "(none was found)")
        if question is Question.QUALITY:
            fields["findings"] = _findings(material, labels)
        pictures = list(self._pictures(talk)) if question in SEES_PICTURES else []
        return rubrics.render(_rubric(question), **fields), pictures, labels

    def _pictures(self, talk: Conversation) -> Iterator[str | Picture]:
        shown = 0
        for number, post in enumerate(talk.posts):
            for index, seen in enumerate(post.pictures):
                picture = self._describe(seen.digest) if seen.digest else None
                if picture is not None and shown < MOST_PICTURES:
                    shown += 1
                    yield f"p{number} picture {index}{_size(picture)}:"
                    yield picture

    def _sizes(self, question: Question, material: Json) -> Sizes:
        """Sizes of the pictures that a question is about."""
        if question is Question.SCREENSHOT:
            picture = self._describe(material["digest"])
            return {} if picture is None else {SCREEN: (picture.width, picture.height)}
        if question is not Question.ROLES:
            return {}
        talk = msgspec.convert(material["conversation"], Conversation)
        places = [(f"p{n}", i, seen) for n, post in enumerate(talk.posts) for i, seen in enumerate(post.pictures)]
        found = ((label, index, seen.digest and self._describe(seen.digest)) for label, index, seen in places)
        return {(label, index): (picture.width, picture.height) for label, index, picture in found if picture}


def _size(picture: Picture) -> str:
    return f", {picture.width} x {picture.height} pixels"


@cache
def _rubric(question: Question) -> Rubric:
    text = files(__package__).joinpath(f"asked/{question}.md").read_text(encoding="utf-8")
    return Rubric(name=f"curate-{question}", text=text.strip())


def _told(talk: Conversation) -> Iterator[str]:
    """Every post with its label, who wrote it, what it answers, and its pictures."""
    for number, post in enumerate(talk.posts):
        marks = ["main" if number == talk.main else None, post.by]
        marks += [None if post.reply_to is None else f"answers p{post.reply_to}"]
        marks += [f"{len(post.pictures)} pictures" if post.pictures else None]
        lines = [f"p{number} ({', '.join(mark for mark in marks if mark)})", post.text]
        lines += [f"[picture {index}: {seen.alt}]" for index, seen in enumerate(post.pictures) if seen.alt]
        yield "\n".join(line for line in lines if line)


def _findings(material: Json, labels: Mapping[str, str]) -> str:
    """Earlier answers as JSON, posts by their labels."""
    known = {name: material[name] for name in ("prompt", "roles", "blanks") if material.get(name) is not None}
    text = msgspec.json.encode(known).decode()
    for label, key in labels.items():
        text = text.replace(key, label)
    return text


def answer_of(question: Question, reply: str, labels: Mapping[str, str], sizes: Sizes | None = None) -> Json:
    """The answer that a reply holds, posts by their keys, boxes in pixels; None for `null`. Raises HostError when it is
    in no form, or can be read in two ways."""
    text = reply.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    start, end = text.find("{"), text.rfind("}")
    if question is Question.PROMPT and start < 0 and "null" in text.lower():
        return None
    try:
        told = msgspec.json.decode(text[start : end + 1])
        answer = _with_keys(_with_pixels(question, told, sizes or {}), labels)
        checked(question, answer)
    except (msgspec.DecodeError, KeyError, TypeError, AmbiguousBox, PluginError) as error:
        raise HostError(f"the reader's reply about {question} cannot be read: {error}", transient=False) from None
    return answer


def _with_pixels(question: Question, told: Any, sizes: Sizes) -> Any:
    """A reply whose boxes are pixels of their pictures. Raises AmbiguousBox, KeyError for a picture not shown."""
    if question is Question.SCREENSHOT:
        return _measured(told, SCREEN, sizes)
    if question is not Question.ROLES:
        return told
    return {**told, "pictures": [_measured(row, (row["post"], row["index"]), sizes) for row in told["pictures"]]}


def _measured(row: Any, place: tuple[str, int], sizes: Sizes) -> Any:
    boxes = row.get("boxes") or []
    kept = {name: value for name, value in row.items() if name not in ("frame", "boxes")}
    if not boxes:
        return kept
    pixels = in_pixels(boxes, row.get("frame"), *sizes[place])
    return {
        **kept,
        "boxes": [{"role": box["role"], "box": list(four)} for box, four in zip(boxes, pixels, strict=True)],
    }


def _with_keys(value: Any, labels: Mapping[str, str]) -> Any:
    """JSON with the labels of posts replaced by their keys. Raises KeyError for a label that was not given."""
    if isinstance(value, list):
        return [_with_keys(each, labels) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _with_keys(each, labels) for name, each in value.items()}
    for name in ("post", "source"):
        if isinstance(found.get(name), str):
            found[name] = labels[found[name]]
    if isinstance(found.get("posts"), list):
        found["posts"] = [labels[label] for label in found["posts"]]
    return found
