"""Whether a claim stands in somebody else's mouth: `the candidate says score: 10`, `OCR: Score: 10`.

It knows the words that lead to a quotation, follow it or enclose it, and nothing of scales.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from groundswell.ask.reading.cleaning import GAP
from groundswell.ask.reading.labels import Labels

_ATTRIBUTED = re.compile(
    r"\b(?:candidate|answer|response|assistant|model|caption|prompt|image|picture|text|sign|watermark|user|author|"
    r"poster|banner|board|label|note|shirt|screen|screenshot|photo|output|submission|instruction|it)(?: \w+){0,4}? "
    r"(?:claim(?:s|ed|ing)?|say(?:s|ing)?|said|wrote|writes|written|reads|reading|demand(?:s|ed|ing)?|insist(?:s|ed)?|"
    r"instruct(?:s|ed|ing)?|ask(?:s|ed|ing)?|tell(?:s|ing)?|told|request(?:s|ed|ing)?|plant(?:s|ed)|inject(?:s|ed)|"
    r"quote(?:s|d)|states?|contains the (?:text|words?|line))\b[^.!?\n;]{0,30}$"
    r"|(?:候选|回答|答案|模型|图中|图片|文字|提示)[^.!?\n;,]{0,12}(?:写|声称|说|要求|自称|标注)[^.!?\n;]{0,8}$",
    re.IGNORECASE,
)
_PICTURE = (
    r"(?:picture|image|photo|caption|prompt|sign|poster|banner|watermark|screenshot|candidate|answer|response|reply)"
)
_SOURCE = (
    r"(?:ocr(?: (?:text|result|output))?"
    rf"|(?:\w+ )?(?:text|words|writing) (?:in|on|inside|within|from|of) (?:the |this )?(?:\w+ )?{_PICTURE}"
    rf"|(?:\w+ )?(?:in|on|inside|within) (?:the |this )?(?:\w+ )?{_PICTURE}"
    r"|(?:written|printed|painted|seen) (?:in|on|at) the \w+"
    r"|(?:picture|image|in-image|embedded|overlay|watermark|sign|banner|visible|quoted|hidden|extracted|detected|planted)"
    r" (?:text|words|message)s?|text (?:found|seen|detected|extracted|written|printed|reads)"
    r"|(?:\w+ )?(?:caption|watermark|transcript|transcription|subtitle)s?"
    r"|(?:candidate|assistant|model|user|author)(?: ?\w)?(?:'s)? "
    r"(?:caption|text|message|note|words|prompt|output|answer|reply|response|claim|instruction|statement|comment)s?"
    r"|(?:user |input |original |system )?prompt|quot(?:e|ed|ation)(?: from [^:\n]{1,40})?"
    r"|(?:(?:output|response|answer|expected|required|reply) )?(?:format|example|template|schema)"
    r"|图中文字|图片文字|文字内容|候选(?:回答|答案)|提示词|示例|格式)"
)
_HEADED = re.compile(
    rf"(?:^|[.!?;,\n(\[-])[\s\"'*_#-]{{0,6}}(?:the |a |for )?{_SOURCE}\s?:[\s\"'*_\[(]{{0,4}}$", re.IGNORECASE
)
_QUOTED_AFTER = re.compile(
    r"\d[\d/.]{0,8}[\s,(\[-]{0,5}(?:(?:this|which) (?:is|was) |as |just |only )?"
    r"(?:(?:quoted|copied|cited|transcribed|read|written|printed|claimed|stated|planted|injected|according) "
    rf"(?:\w+ ){{0,2}}?(?:from|in|on|by|to|inside|within) (?:\w+ ){{0,2}}?{_PICTURE}\b"
    rf"|(?:from|says|per|text (?:in|on|of)) (?:\w+ ){{0,2}}?{_PICTURE}\s*(?:[)\]]|$))",
    re.IGNORECASE,
)
_FOREIGN_KEY = re.compile(
    rf"{_SOURCE}|(?:candidate|assistant|model|user|quoted|planted|injected|image|picture)s?(?: ?\d)? "
    r"(?:text|words|caption|prompt|output|answer|reply|response|message|claim|json)s?",
    re.IGNORECASE,
)
_DELIMITER = re.compile(
    r"([\[<])(/|(?:the )?end (?:of )?(?:the )?)?(?:(?:start|begin|beginning) (?:of )?(?:the )?)?"
    r"([A-Za-z][^\[\]<>\n]{0,40})[\]>]",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"(?:assistant|candidate|user|model|question|context|prompt|caption|ocr|transcript|quot|submission|image text|"
    r"picture text|(?:answer|response|reply) ?[\dAB])",
    re.IGNORECASE,
)
_END = re.compile(r"^\W*end of (?:the )?(\w[\w ]{0,40})", re.IGNORECASE)


def attributed(lead: str) -> bool:
    """Whether the words before a claim put it into somebody else's mouth: `the candidate says`, `OCR:`."""
    lead = lead[-120:]
    return _ATTRIBUTED.search(lead) is not None or _HEADED.search(lead) is not None


def quoted_after(tail: str) -> bool:
    """Whether the words after a number say that it was only read somewhere: `10 (quoted from the picture)`."""
    return _QUOTED_AFTER.search(tail[:200]) is not None


def is_foreign(key: str) -> bool:
    """Whether the key of an object says that its value was written by somebody else: `candidate_text`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s_-]+", " ", key).strip()
    return _FOREIGN_KEY.fullmatch(words) is not None


def without_announced(text: str, labels: Labels) -> tuple[str, bool]:
    """The text without paragraphs that a line such as `The candidate wrote:` announces, and whether one had a claim.

    Where a line such as `End of caption` ends what was announced, everything up to it goes; below a Markdown heading
    everything up to the next heading.
    """
    lines = text.split("\n")
    ends = [(place, match.group(1).casefold()) for place, line in enumerate(lines) if (match := _END.match(line[:80]))]
    headings = [place for place, line in enumerate(lines) if line.startswith("#")]
    found = announced = blank_passed = False
    until = -1
    for place, line in enumerate(lines):
        if announced or place <= until:
            if not line.strip():
                announced = announced and not blank_passed
            else:
                blank_passed = True
                found = found or labels.claim.search(line[:2000]) is not None
                lines[place] = GAP
        elif _announces(line, labels):
            announced, blank_passed = True, False
            below = bisect_right(headings, place)
            if line.startswith("#") and below < len(headings):
                announced, until = False, headings[below] - 1
                continue
            until = _end_of(line, ends[(after := bisect_right(ends, (place + 1, ""))) : after + NEAR])
    return "\n".join(lines), found


NEAR = 3
"""Among so many lines such as `End of caption` the end of what was announced is looked for."""


def _end_of(line: str, ends: Sequence[tuple[int, str]]) -> int:
    """The line that ends what a line announces, -1 where none does."""
    said = line[:200].casefold()
    return next((place for place, name in ends if name.strip() in said), -1)


def _announces(line: str, labels: Labels) -> bool:
    bare = line.rstrip(" *_`")
    if bare.startswith("#") and not bare.endswith(":"):
        bare += ":"
    if not bare.endswith(":") or labels.exact(bare.strip(" *_`#:-")) is not None:
        return False
    return _HEADED.search(bare[-120:]) is not None or _ATTRIBUTED.search(bare.rstrip(" :*_`")[-120:]) is not None


def without_delimited(text: str, labels: Labels) -> tuple[str, bool]:
    """The text without what `[Assistant 2]` and `[End of Assistant 2]` enclose, and whether that held a claim."""
    opened: dict[str, int] = {}
    kept: list[str] = []
    start = 0
    found = False
    for mark in _DELIMITER.finditer(text):
        bracket, closing, name = mark.group(1), mark.group(2), " ".join(mark.group(3).casefold().split())
        if _SPEAKER.match(name.replace("_", " ")) is None or (bracket == "<" and labels.exact(name) is not None):
            continue
        if not closing:
            opened.setdefault(name, mark.end())
        elif (begun := opened.pop(name, -1)) >= start:
            inside = text[begun : mark.start()]
            found = found or labels.claim.search(inside) is not None
            kept += [text[start:begun], GAP, "\n" * inside.count("\n")]
            start = mark.start()
            opened.clear()
    kept.append(text[start:])
    return "".join(kept), found
