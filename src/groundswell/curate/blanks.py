"""Templates: the open places of an instruction in their dialects, and their values where the thread says them.

Dialects: {x}, {{x}}, {argument name="x" default="y"}, [X], 【X】, <x>, and three or more underscores. JSON, Markdown
links, numbers and masked contacts are none. A value must be said for its place; one value for one of several places
is a guess, and guesses are not made. A default is what the template itself says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundswell.curate import cues
from groundswell.curate.conversation import Conversation
from groundswell.curate.questions import Blank, Blanks

LONGEST_NAME = 60
LONGEST_VALUE = 200

_PLACES = re.compile(
    r"(?P<argument>\{argument\s+[^{}]*\})"
    r"|(?P<double>\{\{[^{}\n]{1,60}\}\})"
    r"|(?P<brace>\{[^{}\n]{1,60}\})"
    r"|(?P<square>(?<![\w\])!])\[[^\[\]\n]{1,60}\](?![(\[:]))"
    r"|(?P<lens>【[^【】\n]{1,60}】)"
    r"|(?P<angle><[A-Za-z][A-Za-z _-]{1,40}>)"
    r"|(?P<line>_{3,})"
    r"|(?P<dots>[“\"](?:\.{3}|…)[”\"])"
)
_ATTRIBUTE = re.compile(r"(\w+)\s*=\s*(?:\"([^\"]*)\"|“([^”]*)”|'([^']*)')")
_NO_NAME = re.compile(
    r"[\d\s.,:;/×x%°-]*|.*[\":].*|email|phone|link|url|image ?\d*|img ?\d*|photo ?\d*|图\d*", re.IGNORECASE
)
_FILLER = re.compile(
    r"\b(?:insert|enter|your|name|here|the|of|a|an|choose|any|e\.?g\.?|type|specify|add)\b|名称|名字|内容|"
    r"填写|输入|你的|填入|名前|入力|任意の",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"(?:^|\b)(?:i (?:used|put|wrote|typed|filled in|went with|chose|picked)|mine (?:is|was)|filled with|used|"
    r"example|here (?:it )?(?:is|was)|e\.g\.|went for|tried (?:it )?with|set it to|the (?:blank|placeholder|"
    r"bracket|slot|variable) (?:is|was)|"
    r"for (?:mine|this one|the example))\s*[:：]?\s*(?P<value>[^\n]+)"
    r"|(?:我用的是|我填的是|填的是|填了|这里填|例如|比如)\s*[:：]?\s*(?P<chinese>[^\n]+)"
    r"|(?:例えば|今回は|ここでは|私は)\s*[:：、]?\s*(?P<japanese>[^\n]+?)(?:です|にしました|を使いました|"
    r"を入れました)",
    re.IGNORECASE,
)

_NO_VALUE = re.compile(
    r"(?:it|this|that|these|those|them|they|you|your|the same|same|a lot|all|both|twice|more|some|prompts?|"
    r"chatgpt|gemini|"
    r"nano ?banana|midjourney|a secret|up to)\b",
    re.IGNORECASE,
)
_NAMES_VALUES = re.compile(r"value|bracket|blank|placeholder|variable|slot|filled|填", re.IGNORECASE)
_LISTED = re.compile(
    r"(?:i (?:used|put|filled in|filled them with|went with|chose|picked|wrote|typed)|mine (?:are|were|is|"
    r"was)|my (?:values|version|words|choices)|"
    r"(?:the )?(?:values|brackets|blanks|placeholders|variables|slots)[^\n:：]{0,40}|"
    r"filled(?: in)?(?: with)?|example|我用的是|填的是|今回は)"
    r"\s*[:：]?\s*(?P<values>[^\[\]{}]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Place:
    """An open place as it stands, its name, and the value that the template itself gives."""

    whole: str
    name: str
    default: str | None = None


def places(prompt: str) -> list[Place]:
    """Different open places of an instruction, in order."""
    found: dict[str, Place] = {}
    for match in _PLACES.finditer(prompt):
        if (place := _place(match, prompt)) is not None:
            found.setdefault(place.whole, place)
    return list(found.values())


def _place(match: re.Match[str], prompt: str) -> Place | None:
    whole, dialect = match.group(), match.lastgroup
    if dialect == "argument":
        said = {name: next(value for value in values if value or value == "") for name, *values in _attributes(whole)}
        return Place(whole, said.get("name", ""), said.get("default") or None)
    if dialect in ("line", "dots"):
        return Place(whole, "")
    name = whole.strip("{}[]【】<>").strip()
    if not name or len(name) > LONGEST_NAME or _NO_NAME.fullmatch(name):
        return None
    if dialect in ("brace", "square") and _is_json(prompt) and not re.fullmatch(r"[\w\s/-]+", name):
        return None
    if dialect == "lens" and prompt[match.end() : match.end() + 1] in ("\n", "：", ":", ""):
        return None  # a heading
    return Place(whole, name)


def _attributes(text: str) -> Iterator[tuple[str, ...]]:
    for match in _ATTRIBUTE.finditer(text):
        yield (match.group(1), *(group or "" for group in match.groups()[1:] if group is not None))


def _is_json(prompt: str) -> bool:
    return re.match(r"\s*[{\[]\s*\"", prompt) is not None


def fill(prompt: str, talk: Conversation) -> Blanks:
    """The places of an instruction with what the author says goes in."""
    open_places = places(prompt)
    if not open_places:
        return Blanks(blanks=(), filled=None, why="no open place")
    texts = [(post.key, _without(post.text, prompt)) for post in talk.posts if post.by == "author"]
    whole = _said_in_full(prompt, open_places, texts) or _said_in_order(open_places, texts)
    blanks = tuple(whole.get(place.whole) or _filled(place, texts, len(open_places) == 1) for place in open_places)
    filled: str | None = prompt
    for blank in blanks:
        filled = None if filled is None or blank.value is None else filled.replace(blank.place, blank.value)
    still = [blank.place for blank in blanks if blank.value is None]
    why = f"nothing says what goes into {', '.join(still)}" if still else "every place has a value"
    return Blanks(blanks=blanks, filled=filled, why=why)


def _without(text: str, prompt: str) -> str:
    return text.replace(prompt, "\n")


def _said_in_full(prompt: str, open_places: Sequence[Place], texts: Sequence[tuple[str, str]]) -> dict[str, Blank]:
    """Values from a post that repeats the whole instruction with its places filled."""
    expression = re.escape(" ".join(prompt.split())).replace(r"\ ", r"\s+")
    for number, place in enumerate(open_places):
        at = re.escape(" ".join(place.whole.split())).replace(r"\ ", r"\s+")
        expression = expression.replace(at, f"(?P<v{number}>.{{1,{LONGEST_VALUE}}}?)", 1)
        expression = expression.replace(at, f"(?P=v{number})")
    for key, text in texts:
        if (match := re.search(expression, " ".join(text.split()))) and len(match[0]) > LONGEST_NAME:
            values = [match[f"v{number}"] for number in range(len(open_places))]
            if any(value != place.whole for value, place in zip(values, open_places, strict=True)):
                return {
                    place.whole: Blank(place=place.whole, name=place.name, value=value, source=key)
                    for place, value in zip(open_places, values, strict=True)
                }
    return {}


def _said_in_order(open_places: Sequence[Place], texts: Sequence[tuple[str, str]]) -> dict[str, Blank]:
    """Values from a short post that lists exactly as many as there are places, and says that they are the values."""
    count = len(open_places)
    if count < 2:
        return {}
    for key, text in texts:
        match = _LISTED.search(text)
        if match is None or cues.size(text) > LONGEST_VALUE * count:
            continue
        loose = r"\s*[,，、]\s*(?:and\s+)?|\s+and\s+|和"
        for separator in (r"\s*[/|;；\n]\s*", *((loose,) if _NAMES_VALUES.search(match.group()) else ())):
            values = [_value(part) for part in re.split(separator, match["values"].strip(" .。!！")) if part.strip()]
            if len(values) == count and all(values):
                return {
                    place.whole: Blank(place=place.whole, name=place.name, value=value, source=key)
                    for place, value in zip(open_places, values, strict=True)
                }
    return {}


def _filled(place: Place, texts: Sequence[tuple[str, str]], alone: bool) -> Blank:
    for key, text in texts:
        value = _said_for(place, text) or (_said_alone(text) if alone else None)
        if value is not None:
            return Blank(place=place.whole, name=place.name, value=value, source=key)
    return Blank(place=place.whole, name=place.name, value=place.default)


def _said_for(place: Place, text: str) -> str | None:
    """A value that a text names the place for: `city: Rome`, `[city] = Rome`, `Rome for city`, `replace city with`."""
    words = _FILLER.sub(" ", place.name).strip() or place.name
    if not place.name:
        return None
    spelled = "(?:" + "|".join(dict.fromkeys((_spelled(place.name), _spelled(words)))) + ")"
    name = rf"[\[{{<【\"“'`*]*\s*(?:the\s+)?{spelled}\s*[\]}}>】\"”'`*]*"
    marked = rf"[\[{{<【]\s*{spelled}\s*[\]}}>】][\"”'`*]*"
    verbs = r"(?:[:：=]|->|→|➡️?|⇒|[-–—](?=\s)|\bis\b|\bwas\b|\bbecame\b|是|为|は)"
    tries = (
        # however a sentence begins: the place is shown as it stands, or a sign follows its name
        rf"{marked}(?:\s+\w+){{0,3}}?\s*{verbs}\s*(?P<value>[^\n]+)",
        rf"(?<!\w){name}\s*(?:[:：=]|->|→|➡️?|⇒)\s*(?P<value>[^\n]+)",
        rf"(?:^|[\n,，;；、•*(（/|:：.。-]|\b(?:with|and|using|used|where|my|here)\b|"
        rf"用)\s*{name}\s*{verbs}\s*(?P<value>[^\n]+)",
        rf"(?:replac|swap|switch|chang|set|fill|把|将)\w*\s+(?:out\s+|in\s+)?{name}\s*(?:with|by|for|to|as|"
        rf"换成|替换成|替换为|改成|を)\s*(?P<value>[^\n]+)",
        rf"(?:used|put|chose|picked|filled in|went with|wrote|typed|swapped in|had|and|"
        rf",)\s+(?P<value>[^\n\[\]{{}},]{{1,80}}?)\s+(?:for|as|in|into|instead of)\s+{name}",
    )
    for expression in tries:
        if (match := re.search(expression, text, re.IGNORECASE)) and (value := _value(match["value"])):
            return value
    return None


def _spelled(name: str) -> str:
    """A name with any of the marks that people put between its words."""
    return r"[\s_-]+".join(re.escape(word) for word in re.split(r"[\s_-]+", name) if word)


def _said_alone(text: str) -> str | None:
    """The value that a short text gives for the only place there is."""
    match = _MINE.search(text)
    if match is None or cues.size(text) > 2 * LONGEST_VALUE:
        return None
    return _value(next(group for group in match.groups() if group))


def _value(said: str) -> str | None:
    """A value without its quotes and without what follows it; None where it is no value."""
    said = said.strip().lstrip("*`").strip()
    for opening, closing in (("“", "”"), ('"', '"'), ("「", "」"), ("'", "'"), ("[", "]"), ("{", "}"), ("『", "』")):
        if said.startswith(opening) and (end := said.find(closing, 1)) > 1:
            said = said[1:end]
            break
    else:
        said = re.split(
            r"\s+(?:and|,)\s+[\[{]|[;；|]|,\s*[\w \[{]{1,40}[\]}]?\s*[=:]|，[^，]{1,20}[=：是]|"
            r"\s+for (?:mine|this|the)\b|(?<=\w{3})[.!](?:\s|$)|[。！]",
            said,
        )[0]
        said = re.sub(r"\s*(?:[#＃@]\S+|https?://\S+)\s*$", "", said)
    said = said.strip(" \t,.;:!。，；！`*")
    if not 0 < len(said) <= LONGEST_VALUE or "?" in said or cues.bare(said) or _NO_VALUE.match(said):
        return None
    return said
