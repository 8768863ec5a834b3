"""When a metric applies to a sample: by local rules on the prompt, or by a model that is asked.

The published metrics count only where a model judged that they apply. Both ways answer the same typed question and
give None where they are unsure; rules see the prompt alone, so "no face in an input" is told when the metric looks.
The asking of a model stands in `applicability_by_model`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec

from groundswell.measure.text import wanted_text
from groundswell.ports import Store
from groundswell.records import Decision, Sample

QUESTION: Final = "metric applies: "
"""A Decision's question is this and the metric's name; its subject is the sample."""

VERSION: Final = 1
"""Of the words in `rubrics/metric_applies.md` and in `ASKS`; raised with every change of them."""

ASKS: Final[Mapping[str, str]] = {
    "color": (
        "Should the output keep the overall colours of the first input picture? "
        "No when the instruction asks for another colour, light, time of day, style, filter or medium."
    ),
    "face": (
        "Does an input picture show a person's face, and should the same person be recognisable in the output? "
        "No when the instruction replaces, hides or transforms the person beyond recognition."
    ),
    "structure": (
        "Should things stay where they are, except for what is edited? "
        "No when the instruction asks for another pose, viewpoint, framing or layout, or composes several pictures."
    ),
    "text": "Does the instruction ask for text to be rendered in the picture, or the output need text to fulfil it?",
}
"""What is asked of a model, by metric."""


class Applies(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: whether the metric applies to the sample, and why."""

    applies: bool
    why: str


def is_asked(sample: Sample, metric: str) -> bool:
    """Whether the question makes sense: pictures come out, and where something is to be kept, pictures go in."""
    return metric in ASKS and sample.task != "chat" and (metric == "text" or bool(sample.inputs))


def decided(store: Store, reader: str) -> Mapping[tuple[str, str], Applies | None]:
    """What a model has said by sample and metric; None = it was unsure."""
    return {
        (each.subject, each.question.removeprefix(QUESTION)): msgspec.convert(each.answer, Applies | None)
        for each in store.records(Decision)
        if each.question.startswith(QUESTION) and each.reader == reader and each.version == VERSION
    }


def why_not(sample: Sample, metric: str, answer: Applies | None, reader: str | None) -> str | None:
    """Why a metric does not apply, by what the model `reader` said (None = local rules are asked); None = it does."""
    if metric not in ASKS:
        return None
    said = by_local_rules(sample, metric) if reader is None else answer
    if said is None or said.applies:
        return None
    return f"{reader or LOCAL_RULES} judged that it does not apply: {said.why}"


# --- local rules --------------------------------------------------------------------------------------------------


def _words(text: str) -> re.Pattern[str]:
    """Alternatives of English stems, bound to the start of a word, and Chinese terms, which have no such bounds."""
    english = [term for term in text.split() if term.isascii()]
    chinese = [term for term in text.split() if not term.isascii()]
    alternatives = [rf"\b(?:{'|'.join(english)})", *chinese] if english else chinese
    return re.compile("|".join(alternatives).replace("_", r"[\s\-]+"), re.IGNORECASE)


KEEPS = _words(
    "keep preserv maintain retain unchanged same_(?:face|person|pose|composition|layout|position) "
    "do_not_(?:change|alter) don't_(?:change|alter) without_chang\\w+ only_(?:change|edit|remove|add|replace) 保持 "
    "保留 不变 不要改"
)
RECOLOURS = _words(
    "colou?ri[sz] recolou?r (?:re)?colou?r_(?:grad|correct|scheme|palette|it) black_and_white monochrom grayscale "
    "greyscale sepia neon pastel sunset sunrise dusk dawn night golden_hour relight re-?light lighting vintage "
    "cinematic filter warm(?:er)? cool(?:er)?_tone bright dark(?:er|en) season winter autumn snow style anime "
    "cartoon ghibli sketch paint watercolou?r comic pixel_art 3d_render figurine lego clay make_it_look "
    "infographic 上色 黑白 色调 风格 动漫 素描 油画 水彩 夜晚 日落 灯光 滤镜 手办"
)
RECOLOURS_ONE = _words(
    "(?:chang|turn|mak|paint)\\w*_(?:\\w+_){0,5}(?:red|blue|green|yellow|white|black|pink|purple|orange|brown|gr[ae]y)\\b"
)
MOVES = _words(
    "(?:chang|differ|new|another|alter)\\w*_(?:the_|of_|\\w+_)?(?:pose|angle|view|viewpoint|perspective|position) "
    "layout pose from_(?:above|below|behind|the_side) side_view top_view back_view bird's zoom crop outpaint expand "
    "uncrop rotate flip mirror rearrang reposition combin merg collage compos(?:e|ing)_ group_photo storyboard "
    "character_sheet (?:four|nine|multiple|several)_(?:panel|view|angle|shot) grid turn_\\w+_into infographic "
    "isometric 姿势 视角 角度 俯视 旋转 翻转 合成 拼图 九宫格 三视图 扩图 布局"
)
CHANGES_FACE = _words(
    "face_?swap swap_(?:the_)?faces? replac\\w*_(?:the_|his_|her_)?(?:face|head|person|man|woman) "
    "(?:different|another)_person remove_(?:the_|all_)?(?:person|people|man|woman|face) anonymi[sz] "
    "blur_(?:the_)?faces? into_an?_(?:animal|cat|dog|object) 换脸 换头 去掉人 移除人"
)
ASKS_FACE = _words(
    "face portrait selfie person people man woman boy girl (?:him|her|his|she|he|me|my|i)\\b headshot "
    "photo_of_(?:me|a_person) character hair smil beard makeup glasses outfit cloth dress wear 人 脸 "
    "肖像 自拍 男 女 头发 衣服"
)
ASKS_TEXT = _words(
    "text title caption label sign\\b signs\\b word letter slogan headline poster infographic typograph font logo "
    "banner subtitle speech_bubble menu diagram flyer magazine_cover book_cover writ(?:e|ing|ten)\\b "
    "say(?:s|ing)\\b 文字 文本 标题 海报 标语 字体 信息图 写着 书写"
)
"""Stems that speak for or against a metric; `_` stands for a space or a hyphen."""


LOCAL_RULES: Final = "local rules"


def by_local_rules(sample: Sample, metric: str) -> Applies | None:
    """The answer from the words of the sample's first prompt, English or Chinese; None = unsure."""
    prompt = next(iter(sample.prompts.values()), "")
    return by_rule(metric, prompt, inputs=len(sample.inputs), text=bool(wanted_text(sample)))


def by_rule(metric: str, prompt: str, *, inputs: int, text: bool = False) -> Applies | None:
    """The local answer; `inputs` is how many pictures go in, `text` whether wanted text is known."""
    if metric == "text":
        found = _found(ASKS_TEXT, prompt)
        return _answer(text or found is not None, "the prompt names the text", found, "the prompt asks for no text")
    if metric not in ASKS or not prompt.strip():
        return None
    if inputs == 0:
        return Applies(applies=False, why="there is no input picture")
    if metric == "color":
        against = _found(RECOLOURS, prompt) or _found(RECOLOURS_ONE, prompt)
        return _answer(against is None, "nothing in the prompt asks for other colours", None, f"it asks for: {against}")
    if metric == "structure":
        against = _found(MOVES, prompt) or ("several inputs" if inputs > 1 else None)
        kept = _found(KEEPS, prompt)
        return _answer(against is None, f"it says: {kept or 'nothing about places'}", None, f"it asks for: {against}")
    against = _found(CHANGES_FACE, prompt)
    names = _found(ASKS_FACE, prompt)
    if against is not None:
        return Applies(applies=False, why=f"it asks for: {against}")
    return None if names is None else Applies(applies=True, why=f"it names: {names}")


def _found(pattern: re.Pattern[str], prompt: str) -> str | None:
    match = pattern.search(prompt)
    return match.group() if match else None


def _answer(applies: bool, yes: str, found: str | None, no: str) -> Applies:
    reason = f"it names: {found}" if found else yes
    return Applies(applies=applies, why=reason if applies else no)


# --- agreement ----------------------------------------------------------------------------------------------------


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far two assignments of one metric agree over the samples that both answered."""

    metric: str
    both: int
    """Samples that both say it applies to."""
    only_ours: int
    only_theirs: int
    neither: int
    unsure: int
    """Samples that ours has no answer for."""

    @property
    def accuracy(self) -> float | None:
        """Share of equal answers; None = no sample has two."""
        answered = self.both + self.only_ours + self.only_theirs + self.neither
        return (self.both + self.neither) / answered if answered else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where one side always gives the same answer as the other and chance explains all."""
        answered = self.both + self.only_ours + self.only_theirs + self.neither
        if answered == 0 or self.accuracy is None:
            return None
        ours, theirs = self.both + self.only_ours, self.both + self.only_theirs
        chance = (ours * theirs + (answered - ours) * (answered - theirs)) / answered**2
        return None if chance == 1 else (self.accuracy - chance) / (1 - chance)


def agreement(metric: str, ours: Mapping[str, bool | None], theirs: Mapping[str, bool]) -> Agreement:
    """Two assignments of a metric by sample; a sample that is absent or None in ours counts as unsure."""
    cells = Counter((ours.get(sample), applies) for sample, applies in theirs.items())
    return Agreement(
        metric=metric,
        both=cells[True, True],
        only_ours=cells[True, False],
        only_theirs=cells[False, True],
        neither=cells[False, False],
        unsure=cells[None, True] + cells[None, False],
    )
