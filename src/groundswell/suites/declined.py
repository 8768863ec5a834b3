"""Written refusals in visual chat, told by their opening words.

A refusal in words is an answer: it is graded like any other and flagged, so that a score can be shown with and without
such answers. "I cannot see the label" is an answer about the picture and not a refusal. English and Chinese only.
"""

from __future__ import annotations

import re

FLAG = "declined"
"""The flag of a judgment on such an answer."""

OPENING = 240
"""Characters in which a refusal must begin; later on it is a reservation inside an answer."""

_CANNOT = (
    r"(?:can(?:no|')?t|can not|(?:am|'m|are|'re) (?:unable|not able) to|won't|will not|"
    r"(?:must|have to) (?:decline|refuse) to)"
)
_PEOPLE = r"(?:people|persons?|individuals?|faces?|who|humans?)"
_TASK = (
    r"(?:help|assist|answer|comply|respond|do (?:that|this)|discuss|support|fulfil|fulfill|process|engage|continue|"
    rf"(?:identify|recogni[sz]e|name|describe|talk about)\b[^.\n]{{0,40}}\b{_PEOPLE}|"
    r"provide (?:that|this|any|the requested|assistance|information about))"
)
_PATTERNS = (
    rf"(?<!['\"“‘])\b(?:i|we)\s?{_CANNOT}\s+(?:\w+ly\s+)?{_TASK}\b",
    rf"\bas an ai\b[^.\n]{{0,60}}{_CANNOT}\b",
    r"(?<!['\"“‘])\b(?:i|we) (?:must |have to )?(?:decline|refuse)\b",
    r"(?:抱歉|对不起|很遗憾)[^。\n]{0,12}(?:不能|无法|没办法|没法)(?:提供|协助|帮助|帮|回答|识别|满足|完成|处理|讨论|支持)",
    r"我(?:不能|无法)(?:提供|协助|帮助|帮你|回答|满足|讨论)",
)
_REFUSAL = re.compile("|".join(_PATTERNS), re.IGNORECASE)


def is_declined(answer: str) -> bool:
    """Whether an answer opens with a refusal to do what was asked."""
    opening = answer.strip()[:OPENING].replace("\u2019", "'")
    return _REFUSAL.search(opening) is not None
