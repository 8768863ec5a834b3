"""The words by which a reply may name a dimension, and the general words for a score.

`Prompt Following`, `prompt_following`, `promptFollowing` and `Prompt-following` are one label; `Assistant 1` and
`assistant1` too. Case and order do not matter, digits inside a label do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from groundswell.records import Dimension

GENERAL = (
    "score", "scores", "rating", "ratings", "grade", "mark", "points", "value", "result", "verdict", "overall", "total",
    "final",
    "综合得分", "综合评分", "综合分数", "总体评分", "整体评分", "最终得分", "最终评分", "最终分数", "总得分", "总评分",
    "得分", "评分", "分数", "总分", "打分", "评级", "スコア", "評価", "評分", "得點", "點數", "点数", "점수", "평점",
)  # fmt: skip
"""General words for a score. They name the dimension only where a single one is asked."""

SUMMARY = frozenset({"overall", "total", "final", "result", "verdict"} | {w for w in GENERAL if w[0] in "综总整最"})
"""General words for the whole: below the heading of one dimension they do not speak of it."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+|&")
_REMARK = re.compile(r"\([^()]{0,60}\)")
_SUFFIX = re.compile(r"(?:scores?|ratings?|grades?|得分|评分|分数)$")


def folded(name: str) -> str:
    """A label without case, spaces, marks and remarks such as `(1-5)`, for comparing keys and cells."""
    name = _REMARK.sub("", name) or name
    return "".join(re.findall(r"[^\W_]+", name.casefold().replace("&", "and")))


def parts_of(name: str) -> list[str]:
    """Words and numbers that a label consists of."""
    return _PARTS.findall(name)


def pattern_of(name: str) -> str:
    """A regular expression (case to be ignored) that matches a label however it is written."""
    parts = parts_of(name) or [name]
    body = r"[\s_\-/]{0,3}".join("(?:&|and)" if part.lower() in ("&", "and") else re.escape(part) for part in parts)
    start = r"(?<![A-Za-z0-9])" if parts[0][0].isascii() else ""
    last = parts[-1][-1]
    if last.isdigit():
        return f"{start}{body}(?![A-Za-z0-9])"
    if last.isascii():
        singular = body[:-1] + "s?" if last in "sS" and len(parts[-1]) > 3 else body + "s?"
        return f"{start}{singular}(?![A-Za-z0-9])"
    return start + body


GENERAL_PATTERN = "|".join(
    pattern_of(word) if word.isascii() else re.escape(word) for word in sorted(GENERAL, key=len, reverse=True)
)


class Labels:
    """The dimensions of a rubric, found by the names that replies give them.

    `yes_no`: each is a question of yes or no, that is a scale of 0 and 1 in steps of 1; then these words are numbers.
    """

    def __init__(self, dimensions: Sequence[Dimension]) -> None:
        self.dimensions = dimensions
        self.single = len(dimensions) == 1
        self.yes_no = bool(dimensions) and all((d.low, d.high, d.step) == (0, 1, 1) for d in dimensions)
        self._by_name: dict[str, int] = {}
        for index, dimension in enumerate(dimensions):
            self._by_name.setdefault(folded(dimension.name), index)
        order = sorted(range(len(dimensions)), key=lambda index: -len(dimensions[index].name))
        self.pattern = "|".join(f"(?P<d{index}>{pattern_of(dimensions[index].name)})" for index in order)
        self.claim = re.compile(
            rf"(?:{self.pattern}|{GENERAL_PATTERN}|\[\[|/)\D{{0,40}}\d|\d\D{{0,12}}/", re.IGNORECASE
        )
        """What a number that is claimed as a score looks like, wherever it stands."""

    def exact(self, name: str) -> int | None:
        """Index of the dimension that a key or a cell names, with or without a word such as `score` after it."""
        key = folded(name)
        if key in self._by_name:
            return self._by_name[key]
        return self._by_name.get(_SUFFIX.sub("", key))

    def is_general(self, name: str) -> bool:
        """Whether a key or a cell is a general word for a score."""
        key = folded(name)
        return key in _GENERAL_FOLDED or (_SUFFIX.search(key) is not None and _SUFFIX.sub("", key) in _GENERAL_FOLDED)


@lru_cache(maxsize=256)
def labels_of(dimensions: tuple[Dimension, ...]) -> Labels:
    """The labels of a rubric's dimensions, made once: the same rubric reads thousands of replies."""
    return Labels(dimensions)


_GENERAL_FOLDED = frozenset(folded(word) for word in GENERAL)
