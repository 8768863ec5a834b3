"""The instruction in a thread, by local rules: behind a mark (`Prompt:`), in quotes, or as a text that reads like one.

Only the thread's author is taken at his word; what others write is their own business. What the pictures show is not
known here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from enum import IntEnum

from groundswell.curate import cues
from groundswell.curate.conversation import Conversation, SeenPost
from groundswell.curate.questions import Prompt

LEAST = 20
"""Width (`cues.size`) of the shortest text that is taken for an instruction."""

LONGEST_WRAPPING = 160
"""Width of the longest line around an instruction that is still taken for talk about it."""

READS_LIKE_ONE = 3
"""Points (`likeness`) from which an unmarked text is taken for an instruction."""

_WORDS = r"(?:prompts?|promt|提示词|提示詞|提示語|提示语|咒语|咒語|プロンプト|呪文|프롬프트|промпт)"
_AFTER = (
    r"(?:\s*(?:used|i used|text|is|was|below|here|for [^\n:：]{1,40}|#?\d+|如下|是|は|全文|はこちら|以下|"
    r"\([^)\n]{0,40}\)|（[^）\n]{0,40}）))*"
)
_MARK = re.compile(
    rf"(?:(?<=^)|(?<=[\s\W])){_WORDS}{_AFTER}\s*[*_】\]）)]*\s*"
    r"(?:[:：]|[👇⬇↓➡→⤵]+\ufe0f?|-{1,2}>|[-—–](?=\s)|(?=\n))[\s👇⬇↓⤵️*_:：]*",
    re.IGNORECASE,
)
_QUOTES = {"“": "”", '"': '"', "「": "」", "『": "』", "«": "»", "‘": "’"}
_QUOTED = re.compile(r"“([^”]{20,})”|\"([^\"]{20,})\"|「([^」]{8,})」|『([^』]{8,})』")
_FENCE = re.compile(r"```[a-z]*\n?(.+?)```", re.DOTALL)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_HASHTAGS = re.compile(r"(?:\s*[#＃][^\s#＃]+)+\s*$")
_INTRO = re.compile(r"^([^\n:：]{1,100})[:：]\s*(?=\S)")
_OPEN_END = re.compile(r"[:：👇⬇↓➡→⤵]\ufe0f?\s*$")
_TALK = re.compile(r"(?:i|i'm|i've|we|you|wow|omg|lol|this is|it's|that|so|ok|okay|hey|guys|what|why|who|does|did)\b", re.I)
_EDITS = re.compile(
    r"\A\W*(?:please\s+|can you\s+)?(?:turn|make|convert|transform|change|restore|colou?ri[sz]e|remove|replace|upscale|"
    r"enhance|retouch|add|put|edit|dress|swap|unblur|erase)\s+(?:this|it|the|him|her|me|my|them|all|these|those)\b"
    r"|\A\W*(?:restore|colou?ri[sz]e|upscale|retouch)\b"
    r"|\b(?:turn|convert|transform|edit|from|use|using|of|keep|restore|in) the (?:image|photo|picture|selfie|drawing)\b"
    r"|\b(?:keep|preserve|maintain|retain)\w*\b[^.\n]{0,60}\b(?:identity|likeness|faces?|facial features|pose|original)\b",
    re.IGNORECASE,
)
_TALKS_OF_PICTURE = re.compile(r"\bthe (?:image|photo|picture) (?:should|shows|depicts|must|has|is|features)\b", re.I)


class Rank(IntEnum):
    """How plainly a text is shown to be the instruction."""

    BARE = 1
    QUOTED = 2
    MARKED = 3


@dataclass(frozen=True)
class Passage:
    """A text taken for the instruction, and by what."""

    text: str
    rank: Rank
    why: str


def find_prompt(talk: Conversation) -> Prompt | None:
    """The instruction of a thread; None where the author gives none in words."""
    found: list[tuple[Passage, int]] = []
    for place, post in enumerate(talk.posts):
        if post.by == "author" and (passage := passage_of(post)) is not None:
            found.append((passage, place))
    if not found:
        return None
    asks_to_look_below = cues.has(talk.opening.text, "pointer")
    first, place = max(found, key=lambda each: _standing(each[0], each[1], talk, asks_to_look_below))
    keys = [talk.posts[place].key]
    text, why = first.text, first.why
    if (more := _continuation(talk, place, text)) is not None:
        text, key = more
        keys.append(key)
        why += ", continued in the author's next post"
    return Prompt(
        text=text,
        clean=cleaned(text),
        posts=tuple(keys),
        task="edit" if edits(text) else "t2i",
        about=about(talk),
        material="the text that it works on" if _lacks_article(text, talk) else None,
        why=why,
    )


def _standing(passage: Passage, place: int, talk: Conversation, below: bool) -> tuple[int, bool, int]:
    """Plain before guessed; where the main post says to look below, what is below before what is in it."""
    return (passage.rank, below and place != talk.main, -place)


def passage_of(post: SeenPost) -> Passage | None:
    """The instruction in one post: its text, else a picture's description that says it is one."""
    if (found := passage_in(post.text)) is not None:
        return found
    for picture in post.pictures:
        if picture.alt and (cues.has(post.text, "pointer") or _MARK.match(picture.alt)):
            found = passage_in(picture.alt)
            return found and replace(found, why=f"{found.why}, in a picture's description")
    return None


def passage_in(text: str) -> Passage | None:
    """The instruction in a text; None where nothing in it reads like one."""
    marked = _marked(text)
    if marked is not None:
        return Passage(marked, Rank.MARKED, "stands behind a mark")
    for match in _QUOTED.finditer(text):
        inside = next(group for group in match.groups() if group)
        if cues.size(inside) >= LEAST and likeness(inside) >= READS_LIKE_ONE - 1:
            around = text[: match.start()] + text[match.end() :]
            if cues.size(inside) > cues.size(around) / 3 and (cues.models(around) or cues.has(around, "making")):
                return Passage(inside.strip(), Rank.QUOTED, "stands in quotes")
    bare = _without_tail(_without_head(text))
    if cues.size(bare) >= LEAST and likeness(bare) >= READS_LIKE_ONE:
        return Passage(bare, Rank.BARE, "reads like an instruction")
    return None


def _marked(text: str) -> str | None:
    """What stands behind the first mark that has an instruction behind it, up to the next mark at a line's start."""
    marks = list(_MARK.finditer(text))
    for number, mark in enumerate(marks):
        ends = [other.start() for other in marks[number + 1 :] if _starts_line(text, other.start())]
        body = text[mark.end() : next((end for end in ends if end > mark.end() + LEAST), None)].strip()
        body = _unwrapped(body)
        if cues.size(body) >= LEAST:
            return body
    return None


def _starts_line(text: str, at: int) -> bool:
    return not re.search(r"\w", text[text.rfind("\n", 0, at) + 1 : at])


def _unwrapped(body: str) -> str:
    """A body without its code fence or quotes, and without the talk behind it."""
    if fence := _FENCE.search(body):
        return fence.group(1).strip()
    closing = _QUOTES.get(body[:1])
    if closing is not None:
        end = body.rfind(closing)
        inside, rest = body[1:end].strip(), body[end + 1 :]
        if end > LEAST and (not rest.strip() or rest[0].isspace() or cues.bare(rest)):
            return inside
    return _without_tail(body)


def _without_tail(text: str) -> str:
    """A text without the lines and last sentences that talk to readers, hashtags and links at its end."""
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and (cues.bare(lines[-1]) and not re.search(r"[}\])]", lines[-1]) or _is_tail(lines[-1])):
        lines.pop()
    last = _HASHTAGS.sub("", cues.LINK.sub("", lines[-1])).rstrip() or lines[-1]
    sentences = _SENTENCES.split(last)
    while len(sentences) > 1 and (_is_tail(sentences[-1]) or not sentences[-1].strip()):
        sentences.pop()
    kept = last if len(sentences) == len(_SENTENCES.split(last)) else last[: last.rfind(sentences[-1]) + len(sentences[-1])]
    return "\n".join([*lines[:-1], kept]).strip()


def _is_tail(line: str) -> bool:
    return cues.size(line) < LONGEST_WRAPPING and cues.begins(line, "tail")


def _without_head(text: str) -> str:
    """A text without the lines before the instruction that talk about it, as long as what is left reads like one."""
    rest = text.strip()
    while "\n" in rest:
        first, after = rest.split("\n", 1)
        if not _is_head(first) or likeness(after) < READS_LIKE_ONE:
            return rest
        rest = after.strip()
    if (intro := _INTRO.match(rest)) and _is_head(intro.group(1) + ":") and likeness(rest[intro.end() :]) >= 2:
        rest = rest[intro.end() :]
    sentences = _SENTENCES.split(rest)
    while len(sentences) > 1 and _is_head(sentences[0]) and likeness(" ".join(sentences[1:])) >= READS_LIKE_ONE:
        rest = rest[rest.find(sentences[0]) + len(sentences[0]) :].strip()
        sentences = sentences[1:]
    return rest


def _is_head(line: str) -> bool:
    if cues.bare(line):
        return True
    if cues.size(line) >= LONGEST_WRAPPING or line.lstrip().startswith(("{", "[")):
        return False
    named = bool(cues.models(line)) or cues.has(line, "weak_models")
    return named or (_OPEN_END.search(line) is not None and "," not in line) or cues.begins(line, "head")


def likeness(text: str) -> int:
    """Points for reading like an instruction to an image model."""
    start = text.lstrip(" \n\t*_-•>#\"“'")
    points = min(len(cues.hits(text, "visual")), 4) + (cues.size(text) > 200)
    if cues.begins(start, "imperative"):
        points += 1 if re.match(r"(?:an?|the)\s", start, re.IGNORECASE) else 2
    points += 2 * edits(text) + 2 * start.startswith("{")
    points -= 2 * (_TALK.match(start) is not None) + text.rstrip().endswith(("?", "？"))
    return points


def edits(prompt: str) -> bool:
    """Whether an instruction works on a picture that is given with it."""
    if cues.has(prompt, "without_input"):
        return False
    without = _TALKS_OF_PICTURE.sub("", prompt)
    return cues.has(without, "edit") or _EDITS.search(without) is not None


def cleaned(prompt: str) -> str:
    """The instruction without links, mentions, hashtags, and runs of space."""
    text = re.sub(r"(?<![\w.])@\w{2,}|(?<!\w)#(?!\d|[0-9A-Fa-f]{6}\b)\w+", "", cues.LINK.sub("", prompt))
    lines = [re.sub(r"[ \t\u00a0\u3000]+", " ", line).strip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def about(talk: Conversation) -> str | None:
    """The image model that a thread is about: the one that its author names first, else the one named most."""
    for post in (talk.opening, *(post for post in talk.posts if post.by == "author")):
        if named := cues.models(post.text):
            return named[0]
    counted = Counter(name for post in talk.posts for name in cues.models(post.text))
    return counted.most_common(1)[0][0] if counted else None


def _continuation(talk: Conversation, place: int, text: str) -> tuple[str, str] | None:
    """The whole instruction and the post of its second half, where it goes on in the author's next post."""
    post = talk.posts[place]
    following = next((each for each in talk.posts[place + 1 :] if each.by == "author" and each.reply_to == place), None)
    if following is None:
        return None
    says_more = cues.has(post.text[-60:], "continued") or post.text.rstrip().endswith(("…", "...", "(1/2)"))
    goes_on = cues.begins(following.text, "continuing") or following.text.lstrip().startswith(("…", "...", "(2/2)"))
    cut_off = not re.search(r"[.!?。！？”\"」』}\])]\s*$", text) and re.match(r"[a-z,;]", following.text) is not None
    if not (goes_on or (says_more and cues.size(following.text) > LEAST) or (cut_off and likeness(following.text) > 2)):
        return None
    ending = cues.pattern("continued").pattern
    first = re.sub(rf"[\s(（\[…👇⬇↓]*(?:{ending})[\s)）\].…👇⬇↓️]*$|(?:…|\.\.\.)\s*$", "", text, flags=re.I).rstrip()
    starting = cues.pattern("continuing").pattern
    second = re.sub(rf"^[\s(（\[…]*(?:{starting})[\s)）\]:：.…-]*|^(?:…|\.\.\.)\s*", "", following.text, flags=re.I)
    return f"{first}\n{_without_tail(second.strip())}", following.key


def _lacks_article(text: str, talk: Conversation) -> bool:
    """Whether the instruction works on a text of which nothing is here."""
    longest = max((cues.size(post.text) for post in talk.posts if post.by == "author"), default=0)
    return cues.has(text, "article") and longest < cues.size(text) + 600
