"""The small words that the reading of running text goes by. No names of dimensions are among them."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNITS = _words("points point pts pt stars star marks 分 点 점")
"""What may be counted by a score."""

YES = _words("yes true pass passed 是 真 はい 예")
NO = _words("no false fail failed 否 假 いいえ 아니요")
"""Answers where every dimension is a question of yes (1) or no (0)."""

COMPARES = _words(
    "more less fewer than least most over under above below beyond between exceeding < > ≥ ≤ ± 至少 超 低 高"
)
"""A number after one of these leaves a choice."""

ASSIGNING = _words(
    "rate rated rating give given giving gives score scored scores assign assigned award awarded grade graded gets "
    "receives 打 给"
)
"""Giving a score."""

FILLING = _words(
    "is are was be been being would will should likely also only just around about approximately roughly nearly a an "
    "of at as to the it its it's this image picture edit result output rated rate given give gets get got receives "
    "receive received earns deserves scored assigned assign assigning with value equals equal i i'd i'll i've my we "
    "level by 's s d stands comes have has had out very strong solid in opinion say therefore so here "
    "for 为 是 的 给 我 打 满 分 约 大 概 了 : = | > ( ) [ ] - \" ' → $ ~"
)
"""May stand between a label and its number."""

PASSED = ASSIGNING | UNITS | COMPARES
"""May stand there too, but mean something."""

DENYING = _words("not never no without cannot can't isn't wasn't wouldn't don't doesn't didn't n't 不 没")
"""What follows, up to a comma, is not the judge's score."""

SUPPOSING = _words("if unless instead rather claims claimed says said wrote")
"""Nor is anything that follows one of these."""

MAY_FOLLOW = _words(
    "and for in on due given because since as out with but while which indicating suggesting reflecting overall i "
    "the this it there although though however based making meaning showing respectively is was would considering at "
    "instead from by if when thus therefore so points also again then score rating 因 但 和 与 且 由 而 以 及 理"
)
"""A word after a number that is not the thing it counts."""

LINKING = _words("for on in to regarding points")
"""Between a number and the label after it."""

BEFORE_LABEL = _words("the its overall terms of image's 's both my")
"""Between such a word and the label."""

LEADING = _words("[ \" ' the my overall final total < ( 综 合 最 终 总")
"""May stand before the label that a line begins with."""

SEPARATING = _words(": = | - > →")
OPENING = _words("[ ] \" ' ) * $ \\")
LISTING = _words(", | and / & the")
CHOOSING = _words("and or / &")
"""Between yes and no it leaves a choice; a comma does not."""

BETWEEN = _words(", ; | / and [ ] ( ) & .")
"""Between numbers that stand in a row."""

BREAKING = _words("- : ( | ~")
"""After a number that opens a reply: `8 - good`."""

CALCULATING = _words("+ - * × / ÷ =")
"""Between the numbers of a calculation."""

MODAL = _words("would could might may")
HEDGING = _words("be a an the also more most seem very quite have been well")
FITTING = _words(
    "appropriate fair fitting reasonable suitable right justified apt good accurate my correct warranted deserved"
)
"""`8 would be fair` gives a score, `10 would be generous` and `10 could be argued` give none."""

JOINING = _words("and or but , that this it the other one another former latter a an maybe perhaps possibly")
"""Between two grades in one breath: `this 8 and that 9`."""

CORRECTING = _words(
    "correction corrected revised revision amended actually reconsidering rethinking oops wait rather reflection"
)
CORRECTING_PAIRS = frozenset(
    tuple(pair.split())
    for pair in (
        "edit :", "update :", "updated :", "new :", "now :", "second thought", "second thoughts", "i mean", "make that",
        "make it", "scratch that", "changed to", "changing to", "corrected to", "revised to", "lowered to", "raised to",
        ", no", "mind :", "now rate", "now give", "now score", "更 正", "修 正", "改 为", "改 成",
    )
)  # fmt: skip
"""What announces that a score given before is taken back."""

REVISING = _words("revised updated corrected adjusted amended reconsidered changed new second final")
JUDGING = _words(
    "assessment opinion verdict evaluation judgment judgement answer decision look review estimate thoughts"
)
"""`Revised assessment: 5` does so too."""

PASSING = _words(
    "initial preliminary first original draft previous old baseline maximum max minimum min possible highest lowest"
)
"""Before a label: a score that is not the one given in the end."""
