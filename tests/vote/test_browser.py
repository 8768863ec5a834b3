"""The arena in a real browser: what a voter sees, does, and does twice."""

import time
from pathlib import Path

import pytest

from groundswell.errors import StoreError
from groundswell.records import Vote

from .conftest import Open, drawn_picture, entry

CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None)

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the browser tests need chromium: apt-get install chromium")

NAMES = ("ada", "bob", "cyd")


class RealClock:
    """The time of day, which a test may push forward."""

    def __init__(self):
        self.pushed = 0.0

    def __call__(self):
        return time.time() + self.pushed


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def arena():
    with Open(RealClock(), [entry(place) for place in range(8)]) as opened:
        yield opened


@pytest.fixture
def voter(browser, arena):
    """Opens the arena as a person with a browser of their own; what goes wrong is remembered."""
    contexts = []

    def opened(*, width=1200, height=900, path="/", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US", **options)
        contexts.append(context)
        context.trouble, context.asked = [], []
        context.on("console", lambda message: context.trouble.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: context.trouble.append(str(error.error)))
        context.on("request", lambda request: context.asked.append(request.url))
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.goto(arena.base + path)
        return page

    yield opened
    for context in contexts:
        context.close()


def _votes(arena):
    return [each for each in arena.box.records.values() if isinstance(each, Vote)]


def _awake(page):
    page.locator("button.left:enabled").wait_for()


def test_a_stranger_votes_with_the_mouse_within_ten_seconds_of_opening_the_page(arena, voter):
    began = time.monotonic()
    page = voter()
    page.get_by_role("button", name="Left").click()
    names = page.locator("figcaption strong").all_inner_texts()
    assert time.monotonic() - began < 10, "a stranger votes within ten seconds"
    (vote,) = _votes(arena)
    assert names == [vote.left, vote.right]
    assert vote.winner == "left"
    assert page.context.trouble == []
    assert all(address.startswith((arena.base, "data:")) for address in page.context.asked)


@pytest.mark.parametrize(("key", "winner"), [("a", "left"), ("B", "right"), ("t", "tie"), ("n", "both_bad")])
def test_a_vote_and_the_next_pair_by_keyboard_alone(arena, voter, key, winner):
    page = voter()
    _awake(page)
    page.keyboard.press(key)
    page.locator(".revealed").wait_for()
    page.keyboard.press("Enter")
    page.locator("[data-ballot]").wait_for()
    assert [vote.winner for vote in _votes(arena)] == [winner]


def test_s_skips_without_a_look_and_without_a_name(arena, voter):
    page = voter()
    page.keyboard.press("s")
    page.wait_for_load_state()
    page.locator("[data-ballot]").wait_for()
    assert _votes(arena) == []
    assert not any(name in page.content() for name in NAMES)


def test_nothing_on_the_page_or_behind_it_names_a_model_before_the_vote(voter):
    page = voter()
    _awake(page)
    assert not any(name in page.content() + "".join(page.context.asked) for name in NAMES)


def test_buttons_sleep_until_both_pictures_were_looked_at(arena, voter):
    arena.booth.least_look = 2.0
    page = voter()
    assert page.locator(".answers button:disabled").count() == 4
    page.keyboard.press("a")
    assert page.locator("[data-ballot]").count() == 1
    _awake(page)
    assert page.locator(".answers button:disabled").count() == 0


def test_the_time_that_a_picture_was_in_sight_is_kept(arena, voter):
    page = voter()
    _awake(page)
    page.keyboard.press("a")
    page.locator(".revealed").wait_for()
    (vote,) = _votes(arena)
    assert 0.4 <= vote.seconds_left < 5
    assert 0.4 <= vote.seconds_right < 5


def test_a_double_click_is_one_vote_and_shows_the_names(arena, voter):
    page = voter()
    _awake(page)
    page.locator("button.right").dblclick()
    page.locator(".revealed").wait_for()
    assert len(_votes(arena)) == 1
    assert page.context.trouble == []


def test_the_back_button_leads_to_a_new_pair_and_not_to_a_second_vote(arena, voter):
    page = voter()
    first = page.locator("input[name=ballot]").input_value()
    _awake(page)
    page.keyboard.press("a")
    page.locator(".revealed").wait_for()
    page.go_back()
    page.locator("[data-ballot]").wait_for()
    assert page.locator("input[name=ballot]").input_value() != first
    _awake(page)
    page.keyboard.press("b")
    page.locator(".revealed").wait_for()
    assert len({vote.ballot for vote in _votes(arena)}) == 2


def test_an_expired_ballot_says_so_and_offers_another(arena, voter):
    page = voter()
    _awake(page)
    arena.clock.pushed = 7200
    page.keyboard.press("a")
    page.get_by_text("expired").wait_for()
    page.keyboard.press("Enter")
    page.locator("[data-ballot]").wait_for()
    assert _votes(arena) == []


def test_two_tabs_show_one_ballot_that_counts_once(arena, voter):
    page = voter()
    other = page.context.new_page()
    other.goto(arena.base)
    _awake(page)
    _awake(other)
    page.keyboard.press("a")
    page.locator(".revealed").wait_for()
    other.keyboard.press("b")
    other.get_by_text("your first answer stands").wait_for()
    assert [vote.winner for vote in _votes(arena)] == ["left"]


def test_where_a_picture_is_gone_the_voter_gets_another_pair(arena, voter):
    broken = {"left": 2}

    def load(digest):
        if broken["left"]:
            broken["left"] -= 1
            raise StoreError("gone")
        return drawn_picture(digest)

    arena.load = load
    page = voter()
    _awake(page)
    page.keyboard.press("a")
    page.locator(".revealed").wait_for()
    assert len(_votes(arena)) == 1


def test_the_form_works_without_javascript(arena, voter):
    arena.booth.least_look = 60.0
    page = voter(java_script_enabled=False)
    page.get_by_role("button", name="Left").click()
    assert page.get_by_role("alert").inner_text().startswith("A moment longer")
    arena.booth.least_look = 0.0
    page.get_by_role("button", name="Left").click()
    assert page.locator("figcaption strong").count() == 2
    assert len(_votes(arena)) == 1


def test_pictures_are_compared_by_slider_and_zoomed_together(voter):
    page = voter()
    page.get_by_role("button", name="Slider").click()
    page.locator("[data-cut]").fill("20")
    assert page.locator("[data-pair]").evaluate("pair => pair.style.getPropertyValue('--cut')") == "20%"
    page.get_by_role("button", name="Slider").click()
    page.locator("[data-side=left] img").click()
    grown = page.locator("[data-pair] img").evaluate_all("all => all.map(each => getComputedStyle(each).transform)")
    assert grown == ["matrix(2.5, 0, 0, 2.5, 0, 0)"] * 2
    assert page.context.trouble == []


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1024, 768), (1600, 900)])
def test_pictures_and_answers_are_on_the_first_screen(voter, width, height):
    page = voter(width=width, height=height)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for place in (".pair figure:last-child img", "button.right", "button.both_bad"):
        box = page.locator(place).bounding_box()
        assert box["y"] + box["height"] <= height, place


def test_the_language_is_switched_and_remembered(voter, arena):
    page = voter()
    page.get_by_role("link", name="中文").click()
    page.goto(arena.base)
    assert page.locator("html").get_attribute("lang") == "zh"
    assert page.locator("h1").get_attribute("lang") == "zh"


def test_an_expert_sorts_by_the_buttons_and_saves(arena, voter):
    link = arena.booth._seal.sealed("Grace")
    page = voter(path=f"/panel/{link}")
    first = page.locator("[data-outputs] img").first.get_attribute("src")
    page.get_by_role("button", name="Worse").first.click()
    assert page.locator("[data-outputs] img").nth(1).get_attribute("src") == first
    page.get_by_role("button", name="Save").click()
    page.get_by_text("1 / 8").wait_for()
    assert len(_votes(arena)) == 3
    assert page.context.trouble == []


def _places(page):
    return page.locator("[data-outputs] input[type=number]").evaluate_all("all => all.map(each => each.value)")


def test_an_expert_ranks_by_keys_and_a_tie_stays_when_pictures_move(arena, voter):
    page = voter(path=f"/panel/{arena.booth._seal.sealed('Grace')}")
    shown = page.locator("[data-outputs] img")
    first, second, third = (shown.nth(at).get_attribute("src") for at in range(3))
    page.locator("[data-outputs] li").nth(2).press("2")
    assert _places(page) == ["1", "2", "2"], "the second and the third are a tie"
    page.locator("[data-outputs] li").first.press("ArrowRight")
    assert [shown.nth(at).get_attribute("src") for at in range(3)] == [second, first, third]
    assert _places(page) == ["1", "2", "2"]
    page.locator("[data-outputs] li").first.press("Enter")
    assert page.locator("li.large img").get_attribute("src") == second
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("1 / 8").wait_for()
    assert sorted(vote.winner == "tie" for vote in _votes(arena)) == [False, False, True]
    assert page.context.trouble == []


def test_on_a_phone_where_pictures_are_stacked_the_answers_are_upper_and_lower(arena, voter):
    page = voter(width=390, height=844)
    page.get_by_role("button", name="Lower").click()
    page.get_by_text("the lower one is better").wait_for()
    assert [vote.winner for vote in _votes(arena)] == ["right"]


def test_the_operator_confirms_tags_with_a_choice_of_words(arena, voter):
    page = voter(path="/operator")
    page.get_by_label("Token").fill(arena.token)
    page.get_by_role("button", name="Sign in").click()
    assert page.get_by_label("use case").input_value() == "consumer"
    page.get_by_label("capability").select_option("layout")
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Audit log").wait_for()
    assert arena.desk.ruled == [("k", {"use_case": "consumer", "capability": "layout", "style": ["anime"]})]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_passes_axe(arena, voter, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    page = voter(color_scheme=scheme, bypass_csp=True)

    def check(where):
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(each["id"], node["html"][:160]) for each in found for node in each["nodes"][:3]] == [], where

    check("asleep")
    _awake(page)
    check("awake")
    page.keyboard.press("a")
    page.locator(".revealed").wait_for()
    page.wait_for_timeout(300)  # the names fade in
    check("revealed")
    page.goto(arena.base + f"/panel/{arena.booth._seal.sealed('Grace')}")
    check("panel")
    page.goto(arena.base + "/nowhere")
    check("lost")
    page.goto(arena.base + "/operator")
    check("sign in")
    page.get_by_label("Token").fill(arena.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Audit log").wait_for()
    check("operator")
