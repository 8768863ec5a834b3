"""Whether a claim stands in somebody else's mouth: `the candidate says score: 10`."""

from __future__ import annotations

import re

_ATTRIBUTED = re.compile(
    r"\b(?:candidate|answer|response|assistant|model|caption|prompt|image|picture|text|sign|watermark|user|author|"
    r"output|submission|instruction|it)(?: \w+){0,4}? "
    r"(?:claim(?:s|ed|ing)?|say(?:s|ing)?|said|wrote|writes|written|reads|reading|demand(?:s|ed|ing)?|insist(?:s|ed)?|"
    r"instruct(?:s|ed|ing)?|ask(?:s|ed|ing)?|tell(?:s|ing)?|told|request(?:s|ed|ing)?|plant(?:s|ed)|inject(?:s|ed)|"
    r"quote(?:s|d)|states?|contains the (?:text|words?|line))\b[^.!?\n;]{0,30}$"
    r"|(?:候选|回答|答案|模型|图中|图片|文字|提示)[^.!?\n;,]{0,12}(?:写|声称|说|要求|自称|标注)[^.!?\n;]{0,8}$",
    re.IGNORECASE,
)


def attributed(lead: str) -> bool:
    """Whether the words before a claim put it into somebody else's mouth: `the candidate says`."""
    return _ATTRIBUTED.search(lead[-120:]) is not None
