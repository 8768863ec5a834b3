"""Replies that say why there is no score: the pictures did not arrive, or the judge refuses to judge."""

from __future__ import annotations

import re

from groundswell.ask.reading.cleaning import without_quotations

_REACH = 5_000
"""Such things are said within this many characters."""

_ANYTHING = re.compile("")
_PICTURE = r"(?:images?|pictures?|photos?|attachments?|files?)"
_ASKING = (
    r"(?:please|kindly|could you|can you)\s+(?:\w+\s+){0,3}?"
    rf"(?:provide|upload|share|attach|send|supply|resend|re-upload)\s+(?:\w+[\s,]+){{0,8}}?{_PICTURE}\b"
)
_ASKS = re.compile(
    _ASKING + r"|请(?:您)?(?:重新)?(?:提供|上传|发送|附上)[^.!?\n]{0,20}(?:图|照片)",
    re.IGNORECASE,
)
_LACKS = re.compile(
    rf"(?:^|[.!?\n]\s{{0,9}})(?:\w+[\s,']{{1,3}}){{0,2}}?{_ASKING}"
    r"|(?:can ?not|can't|unable to|not able to|do not|don't|did not|didn't|couldn't|could not)\s+(?:\w+\s+)?"
    r"(?:see|view|access|open|load|receive|find|process|have access to|have)\s+"
    r"(?:(?:any|the|your|both|these|those|an|either|attached|uploaded|provided|input|output|edited|actual|two)\s+){0,4}"
    rf"{_PICTURE}(?=\s*(?:[.,;:!?]|$|to (?:evaluate|judge|assess|rate|score)|attached|provided|you|here|so|and|or))"
    rf"|\b(?:no|missing)\s+(?:\w+\s+)?{_PICTURE}\s+(?:\w+\s+){{0,2}}?"
    r"(?:provided|attached|uploaded|shared|included|received)\b"
    rf"|(?:^|[.!?\n]\s{{0,9}})(?:the\s+|your\s+)?(?:\w+\s+and\s+)?(?:\w+\s+)?{_PICTURE}\s+(?:is|are|were|was)\s+"
    r"(?:missing(?=\s*(?:[.,;!?]|$))|not (?:provided|attached|included|available|accessible|loading))"
    r"|(?:无法|不能|没有|未能)(?:直接)?(?:看到|查看|访问|收到|打开|接收)(?:您|你|到|任何|提供|上传|的|这张|这些|该){0,6}(?:图|照片)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\b(?:i(?:'m| am)\s+(?:sorry|unable|not able)|i must decline|as an ai\b"
    r"|i (?:can't|cannot|can not|won't|will not|must decline|am not able))"
    r"|抱歉|对不起|无法(?:协助|评价|评估|评分|完成)|不能(?:协助|评价|评估|评分)",
    re.IGNORECASE,
)

_JUDGE = r"(?:evaluat|assess|judg|rat|scor|grad|analy[sz]|review)(?:e|ing)?"
_REFUSES = re.compile(
    r"(?:^|[.!?;,\n]\s{0,9})(?:\w+,?\s{1,3}){0,3}?"
    r"(?:(?:i(?:'m| am) )?(?:unable|not able) to|cannot"
    r"|i (?:can't|cannot|can not|won't|will not|must decline to|refuse to))"
    rf"\s+(?:\w+ly\s+)?(?:{_JUDGE}|(?:assist|help)(?: with)?(?: {_JUDGE})?)"
    r"(?:\s+(?:(?:this|the|these|such|that|it|your)\b(?:\s+(?:\w+\s+)?"
    r"(?:images?|pictures?|photos?|contents?|requests?|edits?|outputs?|results?|pairs?|materials?)\b)?"
    r"|(?:images?|pictures?|photos?|contents?) (?:like|of) (?:this|that)(?: kind)?))?"
    r"(?=\s*(?:[.,;:!?\n]|$|as\b|because\b|since\b|due\b|for\b))(?![^.!?\n]{0,80}\b(?:but|however|higher|lower|than)\b)"
    r"|(?:^|[.!?\n]\s{0,9})(?:\w+,\s{1,3})?i must decline\b"
    r"|(?:无法|不能|拒绝)(?:对)?(?:该|这张|此|这)?(?:图片|图像|图|内容)?(?:进行)?(?:评价|评估|评分|打分)"
    r"(?=(?:该|这张|此|这)?(?:图片|图像|图|内容)?\s*(?:[.,;!?\n]|$|因))",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Whether the judge says plainly that it does not judge this; a number beside it is none that it gave."""
    return _REFUSES.search(without_quotations(text[:_REACH], _ANYTHING)[0]) is not None


def lacks_images(text: str) -> bool:
    """Whether the judge says plainly that it did not get the pictures; no number of such a reply counts."""
    return _LACKS.search(without_quotations(text[:_REACH], _ANYTHING)[0]) is not None


def asks_for_images(text: str) -> bool:
    """Whether somewhere pictures are asked for; it says something only where there is no score."""
    return _ASKS.search(text[:_REACH]) is not None


def declines(text: str) -> bool:
    """Whether the judge refuses to judge."""
    return _DECLINES.search(text[:_REACH]) is not None
