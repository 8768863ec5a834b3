"""The site in a real browser: no errors, no other host, in place sorting, without JavaScript, on a phone, readable."""

from base64 import b64encode
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from groundswell.pictures import encode_png, pixels

CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None)

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the browser tests need chromium")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """Open a file in a context of its own; the page remembers what it asked for and what went wrong."""
    contexts = []

    def opened(path, *, query="", width=1200, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.trouble, page.asked = [], []
        page.on("console", lambda message: page.trouble.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.trouble.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(path.as_uri() + query)
        return page

    yield opened
    for context in contexts:
        context.close()


def _each_kind(folder: Path) -> list[Path]:
    """One page of each kind, and every sample."""
    pages = sorted(folder.glob("*.html"))
    for kind in ("boards", "models", "judges", "compare", "explain/*", "explain/metrics/*"):
        pages += sorted(folder.glob(f"{kind}/*.html"))[:2]
    return pages + sorted(folder.glob("samples/*.html"))


@pytest.mark.parametrize("which", ["built", "attacked"])
def test_every_page_loads_without_errors_or_requests_to_other_hosts(which, request, open_page):
    page = open_page(request.getfixturevalue(which) / "index.html")
    for path in _each_kind(request.getfixturevalue(which)):
        page.goto(path.as_uri())
        assert page.evaluate("window.hit") is None, path
    assert page.trouble == []
    assert {address.split(":")[0] for address in page.asked} <= {"file", "data"}


@pytest.mark.parametrize("width", [390, 1024, 1600])
def test_no_page_scrolls_sideways(built, attacked, open_page, width):
    page = open_page(built / "index.html", width=width)
    for path in (*_each_kind(built), *_each_kind(attacked)):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_a_board_sorts_in_place_and_its_address_keeps_the_order(built, open_page):
    page = open_page(next((built / "boards").glob("looks*.html")))
    names = page.locator("table.board tbody:first-of-type tr:visible th .name")
    assert names.all_inner_texts() == ["ada", "bob"]
    page.get_by_role("button", name="Win rate").click()
    page.get_by_role("button", name="Win rate").click()
    assert names.all_inner_texts() == ["bob", "ada"]
    assert page.locator("th[aria-sort=ascending]").count() == 1
    page.goto(page.url)
    assert names.all_inner_texts() == ["bob", "ada"]


def test_modified_models_are_hidden_until_asked_for(built, open_page):
    page = open_page(next((built / "boards").glob("looks*.html")))
    row = page.locator("table.board tr[data-modified]")
    assert not row.is_visible()
    page.get_by_label("modified").check()
    assert row.is_visible()
    page.goto(page.url)
    assert row.is_visible()


def test_samples_are_found_by_words_and_by_tag(built, open_page):
    page = open_page(built / "samples" / "index.html")
    page.get_by_label("Find").fill("cat in the rain")
    assert page.locator("[data-item]:visible").count() == 1
    assert page.locator("[data-count]").inner_text() == "1 of 6"
    page.goto(page.url)
    assert page.locator("[data-item]:visible").count() == 1
    page.get_by_label("Find").fill("")
    page.get_by_label("use case").select_option("frontier")
    assert page.locator("[data-item]:visible").count() == 2


def test_two_pictures_can_be_laid_over_each_other(built, open_page):
    path = next(path for path in (built / "samples").glob("*.html") if ">Make it blue.</h1>" in path.read_text())
    page = open_page(path)
    buttons = page.locator("button.pin:visible")
    buttons.nth(0).click()
    buttons.nth(1).click()
    stage = page.locator("[data-compare]")
    assert stage.is_visible()
    stage.get_by_role("slider").fill("20")
    assert stage.evaluate("element => element.style.getPropertyValue('--cut')") == "20%"
    assert page.trouble == []


SHOW = "links => document.querySelectorAll('.stage img').forEach((img, at) => { img.src = links[at]; })"


def test_the_ghost_is_gray_where_nothing_moved_and_coloured_where_it_did(built, open_page, tmp_path):
    path = next(path for path in (built / "samples").glob("*.html") if ">Make it blue.</h1>" in path.read_text())
    page = open_page(path)
    buttons = page.locator("button.pin:visible")
    buttons.nth(0).click()
    buttons.nth(1).click()
    page.get_by_label("ghost").check()
    before, after = (encode_png(np.full((40, 60, 3), level, np.uint8)) for level in (200, 0))
    seen = {}
    for name, pair in (("same", (before, before)), ("gone", (before, after)), ("new", (after, before))):
        links = ["data:image/png;base64," + b64encode(data).decode() for data in pair]
        page.evaluate(
            "links => document.querySelectorAll('.stage img').forEach((img, at) => img.src = links[at])", links
        )
        page.wait_for_function("[...document.querySelectorAll('.stage img')].every(img => img.complete)")
        picture = pixels(page.locator(".stage").screenshot())
        seen[name] = picture[picture.shape[0] // 2, picture.shape[1] // 2].tolist()
    assert seen == {"same": [200, 200, 200], "gone": [0, 200, 200], "new": [200, 0, 0]}


def test_faces_that_were_found_are_drawn_on_request_without_javascript(built, open_page):
    path = next(path for path in (built / "samples").glob("*.html") if ">Make it blue.</h1>" in path.read_text())
    page = open_page(path, java_script_enabled=False)
    assert not page.locator(".overlay").first.is_visible()
    page.get_by_label("Show the faces").check()
    assert page.locator(".inputs .overlay").is_visible()
    assert page.locator(".output .overlay text").all_text_contents() == ["0.71"]


def test_the_theme_follows_the_system_until_it_is_switched(built, open_page):
    page = open_page(built / "index.html", color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    assert page.get_by_role("button", name="Dark theme").get_attribute("aria-pressed") == "false"


def test_without_javascript_nothing_is_missing(built, open_page):
    page = open_page(next((built / "boards").glob("looks*.html")), java_script_enabled=False)
    rows = page.locator("table.board tbody tr")
    assert rows.count() == 4
    assert all(rows.nth(place).is_visible() for place in range(4))
    assert not page.locator("form.filter").is_visible()
    assert not page.locator(".switch").is_visible()


def test_a_board_can_be_walked_by_keyboard(built, open_page):
    page = open_page(built / "index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_url("**#content")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_pass_axe(built, open_page, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python").Axe()
    page = open_page(built / "index.html", color_scheme=scheme)
    for path in _each_kind(built)[:22]:
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        said = [(each["id"], node["html"][:200]) for each in found for node in each["nodes"][:3]]
        assert said == [], path


def test_a_word_of_the_cloud_opens_its_comments(built, open_page):
    page = open_page(built / "community.html")
    comment = page.locator(".word q").first
    assert not comment.is_visible()
    page.locator(".cloud a", has_text="yellow tint").click()
    assert comment.is_visible()
    assert comment.inner_text() == "it says: Make it blue."


def test_a_kind_of_complaint_opens_without_javascript(built, open_page):
    page = open_page(built / "community.html", java_script_enabled=False)
    kind = page.locator(".kind", has_text="colour")
    kind.locator("summary").click()
    assert kind.locator("q").count() == 2
    assert kind.locator("img").count() >= 1


def test_a_dot_of_the_novelty_map_reads_its_prompt(built, open_page):
    page = open_page(built / "community.html")
    page.locator(".novelty .spot.novel").first.hover()
    assert page.locator("[data-reads]").inner_text() in ("给猫戴上帽子。", "Remove the car.")
    assert page.locator(".novelty a").first.get_attribute("href").startswith("samples/")


def test_where_the_structure_changed_is_drawn_on_request_without_javascript(built, open_page):
    path = next(path for path in (built / "samples").glob("*.html") if ">Make it blue.</h1>" in path.read_text())
    page = open_page(path, java_script_enabled=False)
    assert not page.locator(".heat").first.is_visible()
    page.get_by_label("Show where the structure changed").check()
    assert page.locator(".output .heat").first.is_visible()


def test_a_page_prints_in_black_on_white_without_its_menu(built, open_page):
    page = open_page(next((built / "boards").glob("looks*.html")), color_scheme="dark")
    page.emulate_media(media="print", color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav.main").is_visible()


def test_the_site_works_under_any_prefix_of_a_server(built, open_page, tmp_path):
    (tmp_path / "deep" / "down").mkdir(parents=True)
    (tmp_path / "deep" / "down" / "bench").symlink_to(built)
    handler = partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}"
        page = open_page(built / "index.html")
        page.asked.clear()
        page.goto(f"{host}/deep/down/bench/index.html")
        page.get_by_role("link", name="Community").click()
        page.locator(".novelty .spot.novel").first.click()
        page.wait_for_url("**/samples/*.html")
        assert page.trouble == []
        assert {address.split("/")[2] for address in page.asked if address.startswith("http")} == {host.split("/")[2]}
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """A file server that prints nothing."""

    def log_message(self, *_):
        pass
