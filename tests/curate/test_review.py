"""What a person says about decisions: in short words, key by key in a terminal, and on the page."""

import asyncio
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.curate.questions import Question
from groundswell.curate.review import Asked, in_words, said
from groundswell.curate.review_page import ReviewPages
from groundswell.errors import UserError
from groundswell.flow.reviewing import Review
from groundswell.flow.workspace import workspace
from groundswell.records import Decision

PROMPT = {
    "text": "A {fruit} on a plate",
    "clean": "A {fruit} on a plate",
    "posts": ["k0"],
    "task": "t2i",
    "about": "FLUX",
}
ROLES = {"pictures": [{"post": "k0", "index": 0, "role": "output"}, {"post": "k0", "index": 1, "role": "output"}]}
BLANKS = {"blanks": [{"place": "{fruit}", "name": "fruit"}]}
COMMENTS = {"comments": [{"post": "k1", "text": "blurry", "verdict": "failure", "complaint": "realism"}]}


def asked(question, answer=None, prompt=None):
    return Asked(question=question, subject="k0", answer=answer, prompt=prompt)


def test_a_digit_a_letter_or_the_words_themselves_are_an_answer():
    assert said(asked(Question.RELEVANCE), "4") == {"score": 4}
    assert said(asked(Question.QUALITY), "b") == {"label": "Benchmark"}
    found = said(asked(Question.PROMPT, PROMPT), "A pear on a plate #art")
    assert (found["text"], found["clean"], found["about"]) == ("A pear on a plate #art", "A pear on a plate", "FLUX")
    assert said(asked(Question.PROMPT, PROMPT), "edit")["task"] == "edit"
    assert said(asked(Question.PROMPT, PROMPT), "none") is None
    assert said(asked(Question.PROMPT), "Remove the lamp post") == {
        "text": "Remove the lamp post", "clean": "Remove the lamp post", "posts": ["k0"], "task": "edit",
    }  # fmt: skip


def test_letters_stand_for_pictures_and_replies_in_their_order():
    assert [each["role"] for each in said(asked(Question.ROLES, ROLES), "i o")["pictures"]] == ["input", "output"]
    praised = said(asked(Question.FEEDBACK, COMMENTS), "s")["comments"][0]
    assert (praised["verdict"], praised["complaint"]) == ("success", None)


def test_values_fill_the_places_and_open_leaves_them_so():
    filled = said(asked(Question.BLANKS, BLANKS, PROMPT["text"]), "fruit = pear")
    assert filled["filled"] == "A pear on a plate"
    assert said(asked(Question.BLANKS, BLANKS, PROMPT["text"]), "open")["filled"] is None


@pytest.mark.parametrize(
    ("question", "answer", "text", "wanted"),
    [
        (Question.RELEVANCE, None, "9", "1 to 5"),
        (Question.QUALITY, None, "x", "Benchmark"),
        (Question.ROLES, ROLES, "i", "2 pictures, and 1 letters"),
        (Question.ROLES, ROLES, "ix", "i input"),
        (Question.BLANKS, BLANKS, "colour = red", "no open place colour"),
        (Question.BLANKS, None, "a = b", "no open place"),
        (Question.PROMPT, None, "edit", "type the instruction"),
        (Question.PROMPT, None, "{", "not JSON"),
    ],
)
def test_what_is_no_answer_is_refused_with_what_is_wanted(question, answer, text, wanted):
    with pytest.raises(UserError, match=wanted):
        said(asked(question, answer, PROMPT["text"]), text)


def test_answers_are_shown_in_words():
    assert in_words(Question.ROLES, ROLES) == "output, output"
    assert in_words(Question.BLANKS, BLANKS) == "{fruit} = ?"
    assert (in_words(Question.PROMPT, None), in_words(Question.ROLES, None)) == ("no instruction", "unsure")


@pytest.fixture
def folder(curated, tmp_path):
    shutil.copytree(curated, tmp_path / "w")
    return tmp_path / "w"


def call(folder, *words):
    result = CliRunner().invoke(main, [*words, "--dir", str(folder), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_review_lists_the_least_sure_first_and_sets_answers(folder):
    rows = call(folder, "curate", "review")["decisions"]
    assert [row["doubt"] for row in rows] == sorted((row["doubt"] for row in rows), reverse=True)
    assert 0 < len(call(folder, "curate", "review", "--undecided")["decisions"]) < len(rows)
    subject = next(row["subject"] for row in rows if row["question"] == "relevance" and row["answer"]["score"] == 5)
    call(folder, "curate", "review", "--set", subject, "relevance", "1", "--person", "ana")
    assert call(folder, "curate")["relevant"] == 15
    said_by_ana = next(row for row in call(folder, "curate", "review")["decisions"] if row["reader"] == "person:ana")
    assert (said_by_ana["answer"], said_by_ana["reviewed"]) == ({"score": 1}, True)


def in_a_terminal(folder, keys, ends=0):
    """What the walk prints when these keys are pressed in a real terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "groundswell", "curate", "review", "--question", "quality", "--dir", str(folder)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as running:
        os.close(theirs)
        shown = b""
        for prompt, typed in keys:
            while not shown.rstrip().endswith(prompt.encode()):
                assert select.select([ours], [], [], 30)[0], shown
                shown += os.read(ours, 4096)
            time.sleep(0.5)  # what is typed before a program waits for a single key is thrown away by the terminal
            os.write(ours, typed.encode())
            shown = b""
        rest = b""
        try:
            while piece := os.read(ours, 4096):
                rest += piece
        except OSError:
            pass  # the other side has closed
        assert running.wait() == ends
    os.close(ours)
    return rest.decode()


def test_the_walk_takes_one_key_each_and_goes_on_where_it_ended(folder):
    keys, hint = "[q]uit", "t Trash:"
    ended = in_a_terminal(folder, [(keys, "k"), (keys, "o"), (hint, "z\n"), (hint, "t\n"), (keys, "s"), (keys, "q")])
    assert "1 kept, 1 overruled, 14 left" in ended
    assert "14 left" in in_a_terminal(folder, [(keys, "q")])
    report = call(folder, "curate")
    assert report["quality"]["Trash"] == 1
    assert call(folder, "curate")["nothing_to_do"]


def test_a_walk_that_is_broken_off_ends_as_an_interrupt(folder):
    assert "what was done is kept" in in_a_terminal(folder, [("[q]uit", "\x04")], ends=3)


class Browser:
    """A person's browser: it keeps cookies and sends forms."""

    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        self.origin, self.first = f"{parts.scheme}://{parts.netloc}", address
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def open(self, path, form=None, headers=()):
        data = None if form is None else urllib.parse.urlencode(form).encode()
        address = path if path.startswith("http") else self.origin + path
        try:
            with self._opener.open(urllib.request.Request(address, data, dict(headers)), timeout=20) as answer:
                return answer.status, answer.read().decode(errors="replace"), urllib.parse.urlsplit(answer.url).path
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), path


@pytest.fixture
def page(folder):
    """The address of a page that is open, with the workspace behind it."""
    from groundswell.flow.reviewing import serve

    said_address, ended = [], threading.Event()
    opened = threading.Event()

    def run():
        with workspace(folder) as space:
            serve(
                Review(space, None, "ana"),
                {"question": "quality"},
                0,
                lambda text: (said_address.append(text), opened.set()),
            )
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    assert opened.wait(20)
    browser = Browser(said_address[0].split()[1])
    yield browser, folder
    status, text, _ = browser.open(browser.first)
    if status == 200:
        browser.open("/done", {"mark": mark_in(text)})
        assert ended.wait(20)


def mark_in(text):
    return text.split('name="mark" value="')[1].split('"')[0]


def test_the_page_takes_answers_that_survive_a_run(page):
    browser, folder = page
    status, text, path = browser.open(browser.first)
    assert (status, path, "key=" in path) == (200, "/", False)
    first = text.split('<p><a href="')[1].split('"')[0]
    status, text, _ = browser.open(first)
    assert (status, "The thread" in text) == (200, True)
    form = {"mark": mark_in(text), "what": "overrule"}
    assert browser.open(first, {**form, "value": "splendid"})[0] == 422
    status, text, second = browser.open(first, {**form, "value": "Trash"})
    assert (status, second != first) == (200, True)
    status, _, third = browser.open(second, {"mark": mark_in(text), "what": "keep"})
    assert (status, third not in (first, second)) == (200, True)
    with workspace(folder) as space:
        said_by_ana = [each for each in space.store.records(Decision) if each.reader == "person:ana"]
        assert [(each.subject, each.answer) for each in said_by_ana] == [(first.split("/")[1], {"label": "Trash"})]
        assert [each.reader for each in space.store.records(Decision) if "seen-by" in each.reader] == ["seen-by:ana"]


def test_the_page_answers_nobody_without_its_key_mark_and_name(page):
    browser, folder = page
    stranger = Browser(browser.first)
    assert stranger.open("/")[0] == 403
    assert stranger.open("/?key=wrong")[0] == 403
    _, text, _ = browser.open(browser.first)
    first = text.split('<p><a href="')[1].split('"')[0]
    assert browser.open(first, {"what": "overrule", "value": "Trash"})[0] == 403
    assert stranger.open(first, {"mark": mark_in(text), "what": "overrule", "value": "Trash"})[0] == 403
    assert browser.open("/", headers={"Host": "evil.example"}.items())[0] == 400
    assert browser.open("/picture/" + "0" * 64)[0] == 404
    with workspace(folder) as space:
        assert not any(each.reader.startswith("person:") for each in space.store.records(Decision))


def test_half_a_form_whose_sender_has_gone_is_refused(folder):
    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        statuses.append(message.get("status"))

    statuses = []
    head = {
        "type": "http",
        "method": "POST",
        "path": "/done",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    with workspace(folder) as space:
        pages = ReviewPages(Review(space, None, "ana"), {})
        asyncio.run(pages.application()(head, receive, send))
    assert statuses[0] == 403
