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

LEAST_UNPROVEN = 80
"""Width of the shortest text that is taken for an instruction only because pictures stand beside it."""

LONGEST_TITLE = 100
"""Width of the longest line or sentence that is dropped before an instruction because nothing can be seen in it."""

LONGEST_WRAPPING = 160
"""Width of the longest line around an instruction that is still taken for talk about it."""

READS_LIKE_ONE = 3
"""Points (`likeness`) from which an unmarked text is taken for an instruction."""

_WORDS = (
    r"(?:prompts?|promt|the instruction (?:was|is)|i typed|i wrote|copy(?: and |-)paste|"
    r"指示文|提示词|提示詞|提示語|提示语|咒语|咒語|プロンプト|呪文|프롬프트|промпт)"
)
_AFTER = (
    r"(?:\s*(?:used|i used|text|is|was|below|here|for [^\n:：]{1,40}|#?\d+|如下|是|は|全文|はこちら|以下|"
    r"\([^)\n]{0,40}\)|（[^）\n]{0,40}）))*"
)
_MARK = re.compile(
    rf"(?:(?<=^)|(?<=[\s\W])){_WORDS}{_AFTER}\s*[*_】\]）)]*\s*"
    r"(?:[:：]|[👇⬇↓➡→⤵👉▶🔽⏬][👇⬇↓➡→⤵👉▶🔽⏬🏻🏼🏽🏾🏿\ufe0f]*|-{1,2}>|[-—–](?=\s)|"
    r"(?=\n))[\s👇⬇↓⤵👉🏻🏼🏽🏾🏿\ufe0f*_:：]*",
    re.IGNORECASE,
)
_QUOTES = {"“": "”", '"': '"', "「": "」", "『": "』", "«": "»", "‘": "’"}
_QUOTED = re.compile(r"“([^”]{20,})”|\"([^\"]{20,})\"|「([^」]{8,})」|『([^』]{8,})』")
_FENCE = re.compile(r"```[a-z]*\n?(.+?)```", re.DOTALL)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_HASHTAGS = re.compile(r"(?:\s*[#＃][^\s#＃]+)+\s*$")
_INTRO = re.compile(r"^([^\n:：]{1,160})[:：]\s*(?=\S)")
_OPEN_END = re.compile(r"[:：👇⬇↓➡→⤵👉🔽⏬][🏻🏼🏽🏾🏿\ufe0f]*\s*$")
_POINTS_ON = re.compile(r"[👇⬇↓⤵👉🔽⏬][🏻🏼🏽🏾🏿\ufe0f]*\s*$")
_EXCLAIMS = re.compile("[!！\U0001f300-\U0001faff✨⚡❤]\ufe0f?\\s*$")
_FLAGS = re.compile(r"\s--(?:ar|v|s|stylize|style|niji|chaos|no|raw|sref|cref)\b")
_TALK = re.compile(
    r"(?:i|i'm|i've|i'd|we|you|your|wow|omg|lol|this is|this one|it's|it is|that|so|ok|okay|hey|guys|what|"
    r"why|who|does|did|"
    r"took|honestly|not bad|pretty|really|love|thanks|also|and yes)\b|我|你|大家|太|真的|这次|今回|みんな|"
    r"皆さん|私|これ",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:i|i'm|i've|me|we|you|you're|y'all|everyone|anyone|guys)\b|我|你|大家|皆さん|みんな|あなた", re.I
)
_EDITS = re.compile(
    # it begins with what is only done to something that is there
    r"\A\W*(?:please\s+|can you\s+|could you\s+|now\s+)?(?:remove|erase|delete|replace|swap|change|adjust|"
    r"restore|colou?ri[sz]e|"
    r"upscale|enhance|retouch|extract|isolate|crop|rotate|unblur|sharpen|brighten|darken|edit|modify|alter|"
    r"fix|repair|keep|"
    r"preserve|move|recolou?r|relight|outpaint|inpaint|extend|expand|blur|clean up|cut out|dress|add|insert|"
    r"transfer)\b"
    r"|\A\W*(?:please\s+|can you\s+)?(?:turn|make|convert|transform|put|place|add|give|take|use|using|show|"
    r"reimagine|redraw|"
    r"recreate|let|style|apply|render)\s+(?:\w+\s+)?(?:this|these|it|the|him|her|me|my|them|all|those|his|"
    r"their|both|that|your)\b"
    r"|\A\W*(?:turn|convert|transform)\b[^.\n]{1,60}\binto\b"
    r"|\A.{0,120}?\b(?:in|of|from|on|into|onto|with|using|to|for)\s+(?:this|these)\s+(?!style|scene|prompt|"
    r"format|order|way|case)\w+"
    r"|\b(?:turn|convert|transform|edit|from|use|using|of|keep|restore|in|based on) the (?:image|photo|"
    r"picture|selfie|drawing)s?\b"
    r"|\b(?:keep|preserve|maintain|retain)\w*\b[^.\n]{0,60}\b(?:identity|likeness|faces?|facial features|"
    r"pose|original|unchanged|the same|intact)\b"
    r"|\b(?:in|of|from|on) the (?:illustration|drawing|sketch|selfie|screenshot|uploaded|provided|attached|given)\b"
    r"|\A.{0,100}?\b(?:of|from|with|using) the (?:person|people|character|characters|subject|product|pet|model)\b"
    r"|\b(?:leave|leaving)\b[^.\n]{0,40}\b(?:unchanged|as (?:it|they) (?:is|are)|untouched|intact)\b"
    r"|(?:画像|写真)を(?!生成|作成|作っ|描|出力)|(?:画像|写真)の(?:人物|背景|中の|被写体|顔|服)|図?中の|"
    r"に変え|に置き換え|を(?:消|削除|除去)|のまま"
    # it speaks of what is there already, without saying that it is a picture
    r"|(?:\A|[,;.:(]\s*|\bbut |\bwith )(?:the )?same (?!time\b|style as|thing)\w+"
    r"|\bkeep(?:ing)? (?:my|his|her|its|their|everything|all (?:the )?else|the (?:rest|pose|layout|composition|framing|"
    r"outfit|clothes|proportions|camera)\b)"
    r"|\b(?:first|second|third|last|other) (?:photo|image|picture)\b|\bout of the (?:photo|picture|image)\b"
    r"|\bfrom (?:a|my|the|an old) (?:snapshot|selfie|photo|photograph|picture|screenshot)\b"
    r"|\A\W*(?:please\s+)?[a-z]+\s+(?:this|these)\s+(?!is\b|style|prompt|scene\b|format|text\b|article)\w+"
    r"|\b(?:arrows?|labels?|annotations?|circles?)\b[^.\n]{0,30}\bon the\b|\bversions? of (?:him|her|it|me|them)\b"
    r"|\b(?:two|all|both) of them\b|\b(?:of|on|to) (?:me\b|my (?:face|hair|head|body|desk|room|car|house))"
    r"|\A\W*what (?:would|if|does) (?:it|this|he|she|they)\b"
    r"|\A\W*(?:please\s+)?(?:clean|tidy|translate|straighten|relight|repaint|refurnish|declutter|lighten|desaturate|age)\b"
    r"|\A\W*(?:请)?让(?:她|他|它|照片|图|画面|人物|主体)|(?:其他|其余|别的|剩下)[^。\n]{0,4}不变"
    r"|この(?:子|人|犬|猫|部屋|絵|服|車|建物|商品|顔|キャラ|女性|男性|男の子|女の子|二人)|"
    r"(?:背景|空|髪|服|服装|表情|季節)を[^。\n]{1,20}に(?:し|変)"
    r"|없애|입혀|(?:을|를) 추가해"
    r"|图片?中(?!央|心|间)|\A\W*(?:请)?(?:把|将|去掉|去除|移除|删除|替换|修复|保持|给)|(?:换成|改成|变成|"
    r"替换为|改为|转换成|转化为)|保持[^。\n]{0,20}(?:不变|一致)"
    r"|로 바꿔|으로 바꿔|지워|유지하",
    re.IGNORECASE,
)
_TALKS_OF_PICTURE = re.compile(r"\bthe (?:image|photo|picture) (?:should|shows|depicts|must|has|is|features)\b", re.I)


_STARTS = re.compile(r"(?:[.!?:…]\s+|[。！？：]\s*|\n\s*)[\"“「*_>-]*")
_ORDER = re.compile(
    r"(?:please )?(?:create|generate|make|turn|transform|convert|design|draw|render|replace|remove|change|"
    r"edit|restore|"
    r"colou?ri[sz]e|redraw|recreate|combine|extract|produce|illustrate|depict)\b|请|生成|创建|制作|绘制|把|"
    r"将|根据|この|添付|次の|以下の",
    re.IGNORECASE,
)


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
    below = _looks_below(talk.opening.text)
    best = max(found, key=lambda each: _standing(each[0], each[1], talk, below), default=None)
    if below and (best is None or (best[0].rank is Rank.BARE and best[1] == talk.main)):
        best = _pointed_at(talk) or best
    if best is None:
        return None
    first, place = best
    keys = [talk.posts[place].key]
    text, why = first.text, first.why
    if (more := _continuation(talk, place, text)) is not None:
        text, key = more
        keys.append(key)
        why += ", continued in the author's next post"
    return prompt_of(text, talk, tuple(keys), why)


def prompt_of(text: str, talk: Conversation, posts: tuple[str, ...], why: str, picture: str | None = None) -> Prompt:
    """What follows from an instruction's words and its thread."""
    return Prompt(
        text=text,
        clean=cleaned(text),
        posts=posts,
        task="edit" if edits(text) or _shows_original(talk, text) else "t2i",
        about=about(talk),
        picture=picture,
        material="the text that it works on" if _lacks_article(text, talk) else None,
        why=why,
    )


def _standing(passage: Passage, place: int, talk: Conversation, below: bool) -> tuple[int, bool, int]:
    """Plain before guessed; where the main post says to look below, what is below before what is in it."""
    return (passage.rank, below and place != talk.main, -place)


def _looks_below(text: str) -> bool:
    """Whether a post says that the instruction stands elsewhere, or ends with a mark that has nothing behind it."""
    return cues.has(text, "pointer") or any(not text[mark.end() :].strip() for mark in _MARK.finditer(f"{text}\n"))


def _pointed_at(talk: Conversation) -> tuple[Passage, int] | None:
    """The author's first own reply that could be what the main post points to, however it reads."""
    for place, post in enumerate(talk.posts):
        text = _without_tail(post.text)
        if place != talk.main and post.by == "author" and cues.size(text) >= 2 * LEAST and "?" not in text[-2:]:
            return Passage(text, Rank.BARE, "stands where the main post points"), place
    return None


def beside_pictures(talk: Conversation) -> Prompt | None:
    """What is left of a main post that shows pictures, without the talk around it: for threads in which nothing reads
    more like an instruction."""
    text = _without_tail(_without_head(talk.opening.text, least=1))
    if talk.opening.pictures and cues.size(text) >= LEAST_UNPROVEN and likeness(text) >= 1:
        return prompt_of(text, talk, (talk.opening.key,), "stands beside the pictures")
    return None


def opens_a_thread(post: SeenPost) -> bool:
    """Whether a reply may be the main post of a conversation of its own: it shows pictures, and holds an instruction or
    says where it is."""
    return bool(post.pictures) and (passage_of(post) is not None or cues.has(post.text, "pointer"))


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
    while len(lines) > 1 and ((cues.bare(lines[-1]) and not re.search(r"[}\])]", lines[-1])) or _is_tail(lines[-1])):
        lines.pop()
    last = _HASHTAGS.sub("", cues.LINK.sub("", lines[-1])).rstrip() or lines[-1]
    sentences = _SENTENCES.split(last)
    while len(sentences) > 1 and (_is_tail(sentences[-1]) or not sentences[-1].strip()):
        sentences.pop()
    kept = (
        last
        if len(sentences) == len(_SENTENCES.split(last))
        else last[: last.rfind(sentences[-1]) + len(sentences[-1])]
    )
    return "\n".join([*lines[:-1], kept]).strip()


def _is_tail(line: str) -> bool:
    """Whether a line at the end talks to readers: it begins so, or is short and does so anywhere."""
    if cues.size(line) >= LONGEST_WRAPPING:
        return False
    short = cues.size(line) < LONGEST_WRAPPING / 2
    if short and likeness(line) <= 0 and (_TALK.match(line.strip()) or _PERSON.search(line)):
        return True
    return cues.begins(line, "tail") or (short and (_POINTS_ON.search(line) is not None or _calls(line)))


def _calls(line: str) -> bool:
    """Whether a line asks for more than one of what posts ask for (like and follow)."""
    return len(cues.hits(line, "tail")) > 1


def _without_head(text: str, least: int = READS_LIKE_ONE) -> str:
    """A text without the lines and sentences before the instruction that talk about it, as long as what is left reads
    like one by `least` points."""
    rest = text.strip()
    while "\n" in rest:
        first, after = rest.split("\n", 1)
        apart = after.startswith("\n")
        if not (_drops(first, title=apart) or (apart and _is_hook(first))) or likeness(after) < least:
            return rest
        rest = after.strip()
    intro = _INTRO.match(rest)
    if (
        intro
        and not cues.begins(rest, "imperative")
        and _is_head(f"{intro.group(1)}:")
        and likeness(rest[intro.end() :]) >= 2
    ):
        rest = rest[intro.end() :]
    if not cues.begins(rest, "imperative") and (start := _first_order(rest, least)) is not None:
        return rest[start:]
    sentences = _SENTENCES.split(rest)
    while len(sentences) > 1 and _drops(sentences[0], title=True) and likeness(" ".join(sentences[1:])) >= least:
        rest = rest[rest.find(sentences[0]) + len(sentences[0]) :].strip()
        sentences = sentences[1:]
    return rest


def _first_order(text: str, least: int) -> int | None:
    """Where the first sentence or line begins that tells a model what to do, if what stands before it is short talk."""
    for match in _STARTS.finditer(text):
        before, after = text[: match.end()], text[match.end() :]
        if cues.size(before) > 2 * LONGEST_WRAPPING:
            return None
        told = _PERSON.search(before) or cues.models(before) or cues.has(before, "weak_models") or likeness(before) <= 1
        if told and _ORDER.match(after) and likeness(after) >= least:
            return match.end()
    return None


def _is_hook(line: str) -> bool:
    """Whether a line that stands apart advertises what follows, though it may read like an instruction itself: it names
    a model, or ends with an exclamation or emoji."""
    if cues.size(line) >= LONGEST_WRAPPING:
        return False
    return bool(cues.models(line)) or cues.has(line, "weak_models") or _EXCLAIMS.search(line) is not None


def _drops(line: str, *, title: bool) -> bool:
    """Whether a line or sentence before the rest is talk; `title`: it stands apart, and may be one by its emptiness."""
    points = likeness(line)
    if points >= READS_LIKE_ONE and not _OPEN_END.search(line):
        return False
    return _is_head(line) or (
        title and points <= 0 and cues.size(line) < LONGEST_TITLE and not re.search(r"[{\[]", line)
    )


def _is_head(line: str) -> bool:
    if cues.bare(line):
        return True
    if cues.size(line) >= LONGEST_WRAPPING or line.lstrip().startswith(("{", "[")):
        return False
    named = bool(cues.models(line)) or cues.has(line, "weak_models") or _TALK.match(line.strip()) is not None
    return named or (_OPEN_END.search(line) is not None and "," not in line) or cues.begins(line, "head")


def likeness(text: str) -> int:
    """Points for reading like an instruction to an image model."""
    start = text.lstrip(" \n\t*_-•>#\"“'")
    points = min(len(cues.hits(text, "visual")), 4) + (cues.size(text) > 200)
    if cues.begins(start, "imperative"):
        points += 1 if re.match(r"(?:an?|the)\s", start, re.IGNORECASE) else 2
    points += 2 * edits(text) + 2 * start.startswith("{") + 3 * (_FLAGS.search(text) is not None)
    points -= 2 * (_TALK.match(start) is not None) + text.rstrip().endswith(("?", "？"))
    return points


def edits(prompt: str) -> bool:
    """Whether an instruction works on a picture that is given with it."""
    if cues.has(prompt, "without_input"):
        return False
    without = _TALKS_OF_PICTURE.sub("", prompt)
    return cues.has(without, "edit") or _EDITS.search(without) is not None


def _shows_original(talk: Conversation, prompt: str) -> bool:
    """Whether the author calls a picture the original, or one that was worked on, beside it or in its description."""
    for post in talk.posts:
        if post.by == "author" and post.pictures:
            around = post.text.replace(prompt, " ")
            told = [around, *(seen.alt for seen in post.pictures if seen.alt and len(seen.alt) < LEAST_UNPROVEN)]
            said = any(cues.has(words, group) for words in told for group in ("is_input", "worked_on"))
            if said and cues.size(around) < LONGEST_WRAPPING:
                return True
    return False


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
