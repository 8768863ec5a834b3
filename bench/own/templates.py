"""Threads about templates, in our own words: the template, what its author says afterwards, and what that settles.

None as the filled text means that nobody says it for sure. The first half was looked at while rules were written.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A template, the author's own replies, and the template with what they settle filled in; None = it stays open."""

    template: str
    replies: tuple[str, ...]
    filled: str | None
    others: tuple[str, ...] = ()
    """What other people reply."""


SEEN = (
    Case(
        "A clay figure of {animal} reading by a window",
        ("the one above is with {animal} = hedgehog",),
        "A clay figure of hedgehog reading by a window",
    ),
    Case(
        "A neon sign over a door in [CITY], rain on the street",
        ("CITY was Porto for this one",),
        "A neon sign over a door in Porto, rain on the street",
    ),
    Case(
        "A recipe card for {dish}, hand-drawn, cream paper",
        ("I put in onion soup here",),
        "A recipe card for onion soup, hand-drawn, cream paper",
    ),
    Case("把{动物}画成水墨画，留白，一枚红色印章", ("我这张用的是仙鹤",), "把仙鹤画成水墨画，留白，一枚红色印章"),
    Case(
        "一张{城市}的复古旅行海报，标题用{颜色}的粗体字",
        ("城市：青岛\n颜色：深红",),
        "一张青岛的复古旅行海报，标题用深红的粗体字",
    ),
    Case(
        "【食物】的微缩模型，放在木桌上，柔和的窗光", ("【食物】换成了拉面",), "拉面的微缩模型，放在木桌上，柔和的窗光"
    ),
    Case(
        "{動物}が本を読んでいる水彩画、やわらかい光",
        ("今回の{動物}は「カワウソ」です",),
        "カワウソが本を読んでいる水彩画、やわらかい光",
    ),
    Case(
        'A poster with the words {argument name="motto" default="Stay curious"} in thick letters',
        (),
        "A poster with the words Stay curious in thick letters",
    ),
    Case(
        'A mug that says {argument name="text" default="Monday"}, studio light',
        ('for mine text is "Not today"',),
        "A mug that says Not today, studio light",
    ),
    Case(
        "Knitted [OBJECT] on a [MATERIAL] shelf, soft light",
        ("object: radio, material: walnut",),
        "Knitted radio on a walnut shelf, soft light",
    ),
    Case(
        "Knitted [OBJECT] on a [MATERIAL] shelf, soft light",
        ("my values were radio / walnut",),
        "Knitted radio on a walnut shelf, soft light",
    ),
    Case(
        "A stamp showing <flower>, engraved, two colours",
        ("swap <flower> for peony like I did",),
        "A stamp showing peony, engraved, two colours",
    ),
    Case(
        "A {{job}} as a wooden toy, plain ground",
        ("{{job}} -> lighthouse keeper",),
        "A lighthouse keeper as a wooden toy, plain ground",
    ),
    Case(
        'A shop front with a sign that reads "...", evening',
        ('the sign here says "Second Hand Stars"',),
        'A shop front with a sign that reads "Second Hand Stars", evening',
    ),
    Case(
        "An opera poster for ____, gold on black",
        ("____ = The Clockmaker",),
        "An opera poster for The Clockmaker, gold on black",
    ),
    Case(
        "A {season} forest with a {animal}, paper cut",
        ("season is winter. animal is a fox.",),
        "A winter forest with a fox, paper cut",
    ),
    Case("A {season} forest with a {animal}, paper cut", ("season is winter",), None),
    Case("A clay figure of {animal} reading by a window", ("works with any animal, try it",), None),
    Case("A neon sign over a door in [CITY], rain on the street", ("which city should I do next?",), None),
    Case("A neon sign over a door in [CITY], rain on the street", ("made it in ten minutes, used Nano Banana",), None),
    Case("A recipe card for {dish}, hand-drawn, cream paper", (), None, ("I used lasagne",)),
    Case("一张{城市}的复古旅行海报", ("换成你的城市就行",), None),
    Case("Knitted [OBJECT] on a [MATERIAL] shelf, soft light", ("replace the brackets with anything you like",), None),
    Case("A {{job}} as a wooden toy, plain ground", ("the job can be anything: baker, pilot, nurse",), None),
)

UNSEEN = (
    Case(
        "A paper theatre of {fairy tale}, side light",
        ("{fairy tale} = The Snow Queen in the picture",),
        "A paper theatre of The Snow Queen, side light",
    ),
    Case(
        "Vintage matchbox label with a [BIRD], three inks",
        ("BIRD: hoopoe",),
        "Vintage matchbox label with a hoopoe, three inks",
    ),
    Case(
        "Vintage matchbox label with a [BIRD], three inks",
        ('I used "hoopoe" for this one',),
        "Vintage matchbox label with a hoopoe, three inks",
    ),
    Case(
        "Isometric model of {building}, morning fog",
        ('Here {building} is "a water mill"',),
        "Isometric model of a water mill, morning fog",
    ),
    Case("用毛毡做一个{物品}，放在白色背景上", ("物品=电话",), "用毛毡做一个电话，放在白色背景上"),
    Case("用毛毡做一个{物品}，放在白色背景上", ("这里填的是“收音机”",), "用毛毡做一个收音机，放在白色背景上"),
    Case("{主体}坐在{地点}，胶片质感，黄昏", ("主体：一位老裁缝，地点：港口",), "一位老裁缝坐在港口，胶片质感，黄昏"),
    Case("【节日】主题的剪纸窗花，红色", ("【节日】我填的是中秋",), "中秋主题的剪纸窗花，红色"),
    Case(
        "{食べ物}の食品サンプル、白い皿、上から", ("{食べ物}＝ナポリタン",), "ナポリタンの食品サンプル、白い皿、上から"
    ),
    Case("{都市}の夜景を刺繍で", ("例えば「函館」",), "函館の夜景を刺繍で"),
    Case(
        'A bookplate with {argument name="owner" default="A. Reader"} under an owl',
        (),
        "A bookplate with A. Reader under an owl",
    ),
    Case(
        'A ticket for {argument name="event" default="the fair"}, worn edges',
        ("event: Night of the Tram",),
        "A ticket for Night of the Tram, worn edges",
    ),
    Case(
        "[NAME]'s portrait as a mosaic of [MATERIAL]",
        ("NAME = Ada Lovelace\nMATERIAL = buttons",),
        "Ada Lovelace's portrait as a mosaic of buttons",
    ),
    Case(
        "[NAME]'s portrait as a mosaic of [MATERIAL]",
        ("the brackets were Ada Lovelace and buttons",),
        "Ada Lovelace's portrait as a mosaic of buttons",
    ),
    Case(
        "A cake in the shape of <instrument>, bakery window",
        ("<instrument>: accordion",),
        "A cake in the shape of accordion, bakery window",
    ),
    Case(
        'A billboard that reads "..." beside a desert road',
        ('mine reads "Nothing For Miles"',),
        'A billboard that reads "Nothing For Miles" beside a desert road',
    ),
    Case(
        "A library card for ____, typewriter letters",
        ("the blank was Captain Nemo",),
        "A library card for Captain Nemo, typewriter letters",
    ),
    Case("A {{vehicle}} made of bread", ("I went with tugboat",), "A tugboat made of bread"),
    Case("[NAME]'s portrait as a mosaic of [MATERIAL]", ("MATERIAL = buttons",), None),
    Case("Isometric model of {building}, morning fog", ("I used a fixed seed and two tries",), None),
    Case("Isometric model of {building}, morning fog", ("building this took a while",), None),
    Case("Vintage matchbox label with a [BIRD], three inks", ("tell me your bird below",), None),
    Case("{主体}坐在{地点}，胶片质感，黄昏", ("主体和地点都可以换",), None),
    Case("{都市}の夜景を刺繍で", ("都市は自由に変えてください",), None),
    Case("A {{vehicle}} made of bread", ("vehicle ideas welcome",), None, ("vehicle: bus",)),
    Case("A library card for ____, typewriter letters", ("used it for my whole class",), None),
)
