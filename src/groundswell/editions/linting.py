"""The authoring standards for prompts of the arena, as rules that explain themselves.

A rule that is sure rejects; one that suspects asks for a person. Rules read text and facts of pictures; what faces a
picture shows, and what the pool holds already, is told to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Literal

import msgspec

from groundswell.editions.likeness import Twin
from groundswell.records import Picture, Sample

SHORTEST, LONGEST = 4, 2_000
"""Characters of a prompt."""

SMALLEST_SIDE = 256
"""Pixels that a reference picture must have on its shorter side."""

FRAGMENTS, WORDS_IN_FRAGMENT = 6, 3
"""From so many comma-separated pieces of so few words a prompt is a list of keywords."""

BOOSTERS = (
    *("masterpiece", "best quality", "highly detailed", "ultra detailed", "ultra-detailed", "8k", "4k uhd"),
    *("trending on artstation", "award winning", "award-winning", "hyperrealistic", "octane render", "unreal engine"),
    *("sharp focus", "intricate details", "杰作", "最高画质", "超高清", "大师级"),
)
FEW_BOOSTERS = 2

NEGATIVE = re.compile(r"negative[ _]prompt|(?<!\w)--no\b|反向提示词|负面提示词", re.I)
SYNTAX = re.compile(
    r"(?<!\w)--[a-z]{1,10}\b|<lora:|\([^()]+:\s*\d+(\.\d+)?\)|::\s*-?\d|^\s*/imagine"
    r"|\{[^{}|]+\|[^{}]+\}|\(\(|\[\[",
    re.I | re.M,
)
SEVERAL = re.compile(r"^\s*(prompt\s*)?[12][.):]\s.*\n(.*\n)*\s*(prompt\s*)?[23][.):]\s", re.I | re.M)
PERSON = re.compile(r"(?<!\w)@\w{2,}|[\w.+-]+@[\w-]+\.\w+|(?<!\d)\+?\d[\d ()-]{8,}\d(?!\d)|https?://", re.I)
RELATION = re.compile(
    r"\bmy (ex|wife|husband|girlfriend|boyfriend|boss|daughter|son|mother|father|neighbou?r|teacher|colleague)\b"
    r"|我的?(前任|妻子|老婆|丈夫|老公|女友|男友|女朋友|男朋友|老板|女儿|儿子|妈妈|爸爸|邻居|老师|同事)",
    re.I,
)
UNSAFE = re.compile(
    r"\b(nude|naked|nsfw|porn\w*|sexual\w*|topless|undress\w*|gore|behead\w*|suicide|terroris\w*|swastika)\b"
    r"|裸体|色情|脱衣|血腥|斩首|自杀|恐怖袭击",
    re.I,
)
MODELS = re.compile(
    r"\b(midjourney|dall[ -]?e|stable diffusion|sdxl|flux(\.1| pro| dev| schnell|\.?2)|gpt-?4o|gpt-?image|nano ?banana"
    r"|imagen ?\d|seedream|kontext|firefly|ideogram|recraft|qwen-image)\b",
    re.I,
)
HAN = re.compile(r"[\u4e00-\u9fff]")
LATIN = re.compile(r"[A-Za-z]")
CJK_LANGUAGES = frozenset({"zh", "ja"})

NOBODY: Mapping[str, bool] = {}
"""No picture was looked at by a person."""

Verdict = Literal["admit", "queue", "reject"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule objects to, in words, and whether it is sure."""

    rule: str
    why: str
    sure: bool = True


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the prompts that are there: terms of the taxonomy by axis, and prompts in each cell."""

    terms: dict[str, frozenset[str]]
    cells: dict[tuple[str, str, str], int] = msgspec.field(default_factory=dict)
    most_in_cell: int | None = None


def findings(
    sample: Sample,
    pool: Pool,
    *,
    alike: Callable[[Sample], Twin | None] = lambda sample: None,
    faces: Callable[[Picture], int | None] = lambda picture: None,
    reviewed: Mapping[str, bool] = NOBODY,
) -> list[Finding]:
    """Everything that the rules object to, in the order of the rules.

    `alike` names a prompt of the pool that says the same; `faces` counts the faces of a picture (None = not looked).
    `reviewed` says of pictures, by digest, that a person has admitted (True) or rejected them.
    """
    found = [finding for language, text in sample.prompts.items() for finding in _of_text(language, text)]
    found += _of_inputs(sample, faces, reviewed)
    found += _of_place(sample, pool)
    if (twin := alike(sample)) is not None:
        told = f"likeness {twin.likeness:.2f} by {twin.backend}"
        why = f"the pool has {twin.sample} already, which says the same ({told})"
        found.append(Finding(rule="near-duplicate", why=why, sure=twin.sure))
    return list(dict.fromkeys(found))


def verdict(found: Collection[Finding]) -> Verdict:
    """Reject what a rule is sure of, ask a person about the rest, admit what nobody objects to."""
    if any(finding.sure for finding in found):
        return "reject"
    return "queue" if found else "admit"


def _of_text(language: str, text: str) -> Iterator[Finding]:
    plain = text.strip()
    if not SHORTEST <= len(plain) + len(HAN.findall(plain)) <= LONGEST:  # a Chinese character says what two letters do
        yield Finding(rule="length", why=f"{len(plain)} characters; a prompt has {SHORTEST} to {LONGEST}")
    if NEGATIVE.search(plain):
        yield Finding(rule="negative prompt", why="say what is wanted, not what is not; there is one positive prompt")
    if match := SYNTAX.search(plain):
        yield Finding(rule="model syntax", why=f"{match.group(0).strip()!r} means something to one model only")
    if SEVERAL.search(plain):
        yield Finding(rule="one prompt", why="it holds several numbered prompts; bring each in by itself")
    if keyword_stuffed(plain):
        yield Finding(rule="plain language", why="it is a list of keywords; write it as a person would say it")
    if match := MODELS.search(plain):
        yield Finding(rule="names a model", why=f"{match.group(0)!r} would tell voters or flatter a model")
    if match := UNSAFE.search(plain):
        yield Finding(rule="unsafe", why=f"{match.group(0)!r}: a person decides whether it may be shown", sure=False)
    if match := PERSON.search(plain):
        yield Finding(rule="private person", why=f"{match.group(0)!r} points to somebody", sure=True)
    elif match := RELATION.search(plain):
        yield Finding(rule="private person", why=f"{match.group(0)!r} may be somebody's likeness", sure=False)
    if not _in_language(language, plain):
        yield Finding(rule="language", why=f"it does not look like {language}", sure=False)


def keyword_stuffed(text: str) -> bool:
    """Whether a prompt is keywords rather than language: many short pieces, or several words of praise."""
    pieces = [piece.split() for piece in re.split(r"[,，、|]", text) if piece.strip()]
    short = [piece for piece in pieces if len(piece) <= WORDS_IN_FRAGMENT]
    praised = sum(word in text.lower() for word in BOOSTERS)
    sentence = bool(re.search(r"[.!?。！？]\s|[.!?。！？]$", text))
    return praised >= FEW_BOOSTERS or (len(short) >= FRAGMENTS and len(short) >= 0.8 * len(pieces) and not sentence)


def _in_language(language: str, text: str) -> bool:
    han, latin = len(HAN.findall(text)), len(LATIN.findall(text))
    if han + latin == 0:
        return True
    return (2 * han >= latin / 4) == (language in CJK_LANGUAGES) if language in {"zh", "en"} else True


def _of_inputs(
    sample: Sample, faces: Callable[[Picture], int | None], reviewed: Mapping[str, bool]
) -> Iterator[Finding]:
    if sample.task == "edit" and not sample.inputs:
        yield Finding(rule="reference picture", why="an edit is admitted only with the picture that it edits")
    for place, picture in enumerate(sample.inputs, start=1):
        name = f"picture {place}"
        if min(picture.width, picture.height) < SMALLEST_SIDE:
            size = f"{picture.width} x {picture.height}"
            yield Finding(rule="reference size", why=f"{name} is {size}; the shorter side has {SMALLEST_SIDE} at least")
        if picture.licence is None or picture.licence.id == "unknown":
            yield Finding(rule="reference licence", why=f"{name} has no stated licence; say it, with its source")
        elif not picture.licence.derivatives:
            yield Finding(rule="reference licence", why=f"{name} may not be edited under {picture.licence.id}")
        if picture.digest in reviewed:
            if not reviewed[picture.digest]:
                yield Finding(rule="reference review", why=f"{name} was rejected by a person")
            continue
        if picture.licence is not None and picture.licence.source is None:
            yield Finding(rule="reference source", why=f"{name} has no stated source; a person decides", sure=False)
        if (count := faces(picture)) and not sample.tags.get("consent"):
            why = f"{name} shows {count} face{'s' if count > 1 else ''}; tag `consent` says who agreed"
            yield Finding(rule="reference faces", why=why, sure=False)


def _of_place(sample: Sample, pool: Pool) -> Iterator[Finding]:
    for axis, known in pool.terms.items():
        word = sample.tags.get(axis)
        if word is None:
            yield Finding(rule="tags", why=f"it has no {axis.replace('_', ' ')}; a person confirms one", sure=False)
        elif str(word) not in known:
            yield Finding(rule="tags", why=f"{word!r} is no {axis.replace('_', ' ')} of the taxonomy")
    cell = (sample.task, str(sample.tags.get("use_case", "")), str(sample.tags.get("capability", "")))
    if pool.most_in_cell is not None and pool.cells.get(cell, 0) >= pool.most_in_cell:
        place = " / ".join(part for part in cell if part)
        yield Finding(rule="balance", why=f"{place} has {pool.cells[cell]} prompts already", sure=False)
