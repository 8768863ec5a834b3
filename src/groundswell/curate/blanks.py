"""Templates: the open places of an instruction in their dialects, and their values where the thread says them.

Dialects: {x}, {{x}}, {argument name="x" default="y"}, [X], 【X】, <x>, and three or more underscores. JSON, Markdown
links, numbers and masked contacts are none. A value must be said for its place; one value for one of several places
is a guess, and guesses are not made. A default is what the template itself says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

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
_CHOSE = re.compile(
    r"(?:\b(?:i|we)(?:'ve| have)? (?:put(?: in)?|wrote|typed(?: in)?|filled in|went with|went for|chose|picked|entered|"
    r"inserted)|\bmine (?:is|was|says|said|reads?)|\bfilled (?:it |this |in )?with|\btried (?:it )?with|\bset it to|"
    r"\bthe (?:blank|gap|placeholder|bracket|slot|variable|field) (?:is|was|says|had|got)|"
    r"\b(?:for (?:mine|this one|the example)|example|e\.g\.|here (?:it )?(?:is|was))\s*[:：,]|"
    r"\b(?:for (?:mine|this one)|here) it (?:is|was))\s*[:：]?\s*(?P<value>[^\n]+)"
    r"|(?:我|这里|这张|这次|本次|例子)[^，。\n]{0,6}?(?:用的?是|填的?是|填了|用了|选了|选的是|写的是|换成了|换的是)\s*[:：]?\s*"
    r"(?P<chinese>[^\n]+)"
    r"|(?:例えば|今回は|ここでは|私は|この画像は|上の例は)\s*[:：、]?\s*(?P<japanese>[^\n]+?)"
    r"(?:です|でした|にしました|を使いました|を入れました|にしてみました|$)"
    r"|(?:저는|여기는|이번엔)\s*(?P<korean>[^\n]+?)(?:을|를|로|으로)? ?(?:썼|넣었|했)",
    re.IGNORECASE,
)
"""The author says what went into the only place there is."""

_USED = re.compile(r"\b(?:i|we)(?:'ve| have)? used\s*[:：]?\s*(?P<value>[^\n]+)", re.IGNORECASE)
"""The same by a word that is said of programs and settings, too: it needs more to be believed."""

_SAYS = re.compile(
    r"(?:\b(?:says?|said|reads?|shows?|spells?)|写着|写的是|写了|[=:：])\s*[:：]?\s*[\"“「『](?P<value>[^\"”」』\n]{1,120})[\"”」』]"
    r"|[「『](?P<japanese>[^」』\n]{1,80})[」』]と(?:書|入れ)",
    re.IGNORECASE,
)
"""Words that stand in the picture."""

_EQUALS = re.compile(r"_{3,}\s*(?:=|:|：|->|→|is\b|was\b)\s*(?P<value>[^\n]+)", re.IGNORECASE)

_TRAILING = re.compile(
    r"\s+(?:here|there|above|this time|in (?:the|this) (?:picture|image|photo|one|example|post)"
    r"|for (?:mine|this|the)\b.*"
    r"|like (?:i did|here|above|me)|as (?:above|an example|you can see|shown)|on (?:the (?:left|right)|top))[\s.!]*$",
    re.IGNORECASE,
)
"""Said after a value, of where it can be seen."""

_ABOUT_TOOLS = re.compile(
    r"\b(?:seeds?|steps?|tr(?:y|ies)|attempts?|cfg|version|models?|apps?|aspect|ratio|prompts?|references?|images?|photos?|"
    r"pictures?|selfies?|settings?|defaults?|seconds?|minutes?|credits?|account|template|same)\b|模型|参数|图片|提示词|"
    r"プロンプト|モデル|画像",
    re.IGNORECASE,
)

_FOR_WORDS = re.compile(
    r"\b(?:text|words?|quote|title|slogan|headline|caption|message|phrase|lettering)\b|文字|标题|文案|口号|标语|タイトル|言葉|セリフ|문구",
    re.IGNORECASE,
)

_DETERMINED = re.compile(r"(?:an?|the|my|our|his|her|two|three|four|several|some|\d+)\b", re.IGNORECASE)

_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)

_MANY_WORDS = 8
"""A value of more words is a sentence about something else."""

_FEW_WORDS = 3
"""A bare "I used ..." is believed up to so many."""

_NO_VALUE = re.compile(
    r"(?:it|this|that|these|those|them|they|you|your|the same|same|a lot|all|both|twice|more|some|prompts?|any\w*|"
    r"whatever|every\w*|either|each|different|another|other|others|optional|important|free|up to|"
    r"(?:the )?(?:key|main|most)\b|not|very|too|what|where|which|how|always|also|only|just|still|so|easy|hard|changed|"
    r"done|gone|can|could|may|should|must|chatgpt|gemini|nano ?banana|midjourney|a secret)\b"
    r"|自由|任意|随便|随意|你|自己|什么|哪|可以|都|"
    r"あなた|好き|何|自分",
    re.IGNORECASE,
)
_NAMES_VALUES = re.compile(r"value|bracket|blank|placeholder|variable|slot|filled|填", re.IGNORECASE)
_LISTED = re.compile(
    r"(?:i (?:used|put|filled in|filled them with|went with|chose|picked|wrote|typed)|mine (?:are|were|is|"
    r"was)|my (?:values|words|choices)(?: (?:are|were|is))?|"
    r"(?:the )?(?:values|brackets|blanks|placeholders|variables|slots)[^\n:：]{0,40}?(?:[:：]|\b(?:are|were|is|was)\b)|"
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


def fill(prompt: str, talk: Conversation, shown: Sequence[str] = ()) -> Blanks:
    """The places of an instruction with what the author says goes in, or the pictures show. `shown` are the words that
    were read in the pictures that were made of it, one text a picture."""
    open_places = places(prompt)
    if not open_places:
        return Blanks(blanks=(), filled=None, why="no open place")
    texts = [(post.key, _without(post.text, prompt)) for post in talk.posts if post.by == "author"]
    described = [
        (post.key, seen.alt) for post in talk.posts if post.by == "author" for seen in post.pictures if seen.alt
    ]
    whole = _said_in_full(prompt, open_places, [*texts, *described]) or _said_in_order(open_places, texts)
    blanks = tuple(whole.get(place.whole) or _filled(place, texts, len(open_places) == 1) for place in open_places)
    if len(blanks) == 1 and blanks[0].value is None and _holds_words(open_places[0]):
        blanks = (msgspec.structs.replace(blanks[0], value=_read_in_pictures(shown, texts)),)
    filled: str | None = prompt
    for blank in blanks:
        filled = None if filled is None or blank.value is None else _put_in(filled, blank.place, blank.value)
    still = [blank.place for blank in blanks if blank.value is None]
    why = f"nothing says what goes into {', '.join(still)}" if still else "every place has a value"
    return Blanks(blanks=blanks, filled=filled, why=why)


def _holds_words(place: Place) -> bool:
    """Whether a place is for words that stand in the picture."""
    return place.whole[0] in '“"' or _FOR_WORDS.search(place.name) is not None


def _read_in_pictures(shown: Sequence[str], texts: Sequence[tuple[str, str]]) -> str | None:
    """The words that pictures show, where two pictures agree or the author says them, too: one picture may misspell."""
    counted = Counter(_bare(words) for words in shown if _bare(words))
    said = " ".join(_bare(text) for _, text in texts)
    sure = [words for words, count in counted.items() if count > 1 or words in said]
    if len(sure) != 1 or len(counted) != 1:
        return None
    return next(words for words in shown if _bare(words) == sure[0])


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _put_in(prompt: str, place: str, value: str) -> str:
    """The prompt with a value in its place: one article where both bring one, and the quotes that belong to it."""
    if _ARTICLE.match(value) and re.search(rf"\b(?:an?|the)\s+{re.escape(place)}", prompt, re.IGNORECASE):
        value = _ARTICLE.sub("", value, count=1)
    marks = (place[0], place[-1]) if place[0] in '“"' else ("", "")
    return prompt.replace(place, f"{marks[0]}{value}{marks[1]}")


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
        value = _said_for(place, text) or (_said_alone(place, text) if alone else None)
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
    verbs = (
        r"(?:[:：=＝]|->|→|➡️?|⇒|[-–—](?=\s)|\bis\b|\bwas\b|\bbecame\b|(?:我)?(?:换成|换的是|填的是|填了|填|用的是|用了|选了)了?|"
        r"是|为|は)"
    )
    tries = (
        # however a sentence begins: the place is shown as it stands, or a sign follows its name
        rf"{marked}(?:\s+\w+){{0,3}}?\s*{verbs}\s*(?P<value>[^\n]+)",
        rf"(?<!\w){name}\s*(?:[:：=]|->|→|➡️?|⇒)\s*(?P<value>[^\n]+)",
        rf"(?:^|[\n,，;；、•*(（/|:：.。-]|\b(?:with|and|using|used|where|my|mine|here)\b|"
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


def _said_alone(place: Place, text: str) -> str | None:
    """The value that a short text gives for the only place there is."""
    if cues.size(text) > 2 * LONGEST_VALUE:
        return None
    if place.whole[:1] in '“"' and (match := _SAYS.search(text)):
        return _value(_caught(match))
    if place.whole.startswith("_") and (match := _EQUALS.search(text)):
        return _value(_caught(match))
    if match := _CHOSE.search(text):
        value = _value(_caught(match))
        return value if value is not None and _is_plain(value) else None
    if match := _USED.search(text):
        said = _caught(match)
        value = _value(said)
        few = value is not None and len(value.split()) <= _FEW_WORDS and not _DETERMINED.match(value)
        shown = said.strip()[:1] in "“\"「『'" or _TRAILING.search(said) is not None
        return value if value is not None and _is_plain(value) and (few or shown) else None
    return None


def _caught(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)


def _is_plain(value: str) -> bool:
    """Whether a value may be one: short, and not about programs and their settings."""
    tool = _ABOUT_TOOLS.search(value) or cues.models(value) or cues.has(value, "weak_models")
    return len(value.split()) <= _MANY_WORDS and not tool


def _value(said: str) -> str | None:
    """A value without its quotes and without what follows it; None where it is no value."""
    said, quoted = _TRAILING.sub("", said.strip().lstrip("*`").strip()), False
    for opening, closing in (("“", "”"), ('"', '"'), ("「", "」"), ("'", "'"), ("[", "]"), ("{", "}"), ("『", "』")):
        if said.startswith(opening) and (end := said.find(closing, 1)) > 1:
            said, quoted = said[1:end], True
            break
    else:
        said = re.split(
            r"\s+(?:and|,)\s+[\[{]|[;；|]|,\s*[\w \[{]{1,40}[\]}]?\s*[=:]|，[^，]{1,20}[=：是]|"
            r"\s+for (?:mine|this|the)\b|(?<=\w{3})[.!](?:\s|$)|[。！]",
            said,
        )[0]
        said = _TRAILING.sub("", re.sub(r"\s*(?:[#＃@]\S+|https?://\S+)\s*$", "", said))
        if (inner := re.search(r"[“\"「『]([^”\"」』]+)[”\"」』]$", said)) is not None:
            said, quoted = inner.group(1), True
    said = said.strip(" \t,.;:!。，；！`*")
    if not 0 < len(said) <= LONGEST_VALUE or "?" in said or cues.bare(said):
        return None
    return said if quoted or not _NO_VALUE.match(said) else None
