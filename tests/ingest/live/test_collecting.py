"""Every platform's wire format, spoken by a scripted host: pages, threads, limits, expired cursors, what is gone."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.config import FILE_NAME, load
from groundswell.errors import UserError
from groundswell.flow.doctor import examine
from groundswell.ingest.threads import weave
from groundswell.records import Post, PostState, Pull
from groundswell.testing.clock import StillClock
from groundswell.testing.host import Act

DAY = datetime(2026, 10, 20, tzinfo=UTC)
EVERY = ("x", "reddit", "bluesky", "mastodon", "hackernews")
WORDS = {"mastodon": "#imagemodel"}


def collected(visit, name, **window):
    place = visit(name)
    return place, place.collect(WORDS.get(name, "image model"), **window)


@pytest.mark.parametrize(("name", "posts", "replies", "requests"), [
    ("x", 5, 2, 7),  # two pages, four conversations, one look-up of a root's picture
    ("reddit", 8, 5, 9),  # the log-in, three pages, three trees, a deep branch, two comments of a stub
    ("bluesky", 5, 3, 7),  # the log-in, two pages, three threads of which one is gone, and the reply it had
    ("mastodon", 5, 2, 7),  # three pages, three contexts, the root's context
    ("hackernews", 6, 4, 7),  # three pages, four items of which one is unknown
])  # fmt: skip
def test_pages_and_conversations_are_fetched_to_their_end(visit, name, posts, replies, requests):
    place, got = collected(visit, name)
    assert (got["posts"], got["replies"], got["requests"], got["failed"]) == (posts, replies, requests, 0)
    assert (got["cursor"], got["queries"][0]["complete"]) == (None, True)
    assert len(place.paths) == requests


@pytest.mark.parametrize("name", EVERY)
def test_a_second_run_asks_for_nothing(visit, name):
    place, _ = collected(visit, name)
    before = len(place.paths)
    again = place.collect(WORDS.get(name, "image model"))
    assert (again["requests"], again["new"], len(place.paths)) == (0, 0, before)


@pytest.mark.parametrize("name", EVERY)
def test_later_only_the_time_since_then_is_searched(visit, name):
    place, first = collected(visit, name)
    before = len(place.paths)
    place.clock.advance(86_400)
    again = place.collect(WORDS.get(name, "image model"), revisit_days=0)
    assert [row["since"] for row in again["queries"]] == [None, first["queries"][0]["until"]]
    searches = [path for path in place.paths[before:] if "createSession" not in path and "access_token" not in path]
    assert len(searches) == 1  # a page without news ends it, and no conversation is fetched twice
    assert again["new"] == 0


@pytest.mark.parametrize("name", EVERY)
def test_neither_the_key_nor_an_author_is_kept(visit, name):
    place, _ = collected(visit, name)
    stored = b"".join(
        path.read_bytes() for path in place.folder.rglob("*") if path.is_file() and "toml" not in path.name
    )
    for secret in (b"canary-secret-0123456789", b"reddit-token", b"bluesky-token", b"u_s1", b"@ann", b'"u101'):
        assert secret not in stored
    assert all(len(post.author) == 32 for post in place.kept(Post) if post.author)


@pytest.mark.parametrize(("name", "headers", "pause"), [
    ("x", {"x-rate-limit-remaining": "0", "x-rate-limit-reset": "1793491800"}, 600),
    ("reddit", {"x-ratelimit-remaining": "0.0", "x-ratelimit-reset": "600"}, 600),
    ("bluesky", {"ratelimit-remaining": "0", "ratelimit-reset": "1793491800"}, 600),
    ("mastodon", {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2026-11-01T00:10:00.000000Z"}, 600),
    ("hackernews", {"Retry-After": "600"}, 600),
])  # fmt: skip
def test_a_refusal_for_the_rate_is_waited_for_as_the_headers_say(visit, name, headers, pause):
    place = visit(name)
    assert place.clock.now().timestamp() + 600 == 1793491800
    headers = headers | {"Date": "Sun, 01 Nov 2026 00:00:00 GMT"}
    search = {"mastodon": "/timelines/tag", "bluesky": "searchPosts"}.get(name, "/search")
    place.town.acts = [(search, Act(status=429, body="{}", headers=headers))]
    got = place.collect(WORDS.get(name, "image model"))
    assert got["failed"] == 0
    assert pause <= max(place.clock.slept) <= pause + 1
    assert sorted(Counter(place.paths).values())[-2:] == [1, 2]  # that page once more, and nothing else


def test_a_window_that_a_good_reply_used_up_is_waited_for_before_the_next_request(visit):
    place = visit("hackernews")
    page = place.town.answer("/search_by_date", {}, None)
    spent = {"ratelimit-remaining": "0", "ratelimit-reset": "120", "Date": "Sun, 01 Nov 2026 00:00:00 GMT"}
    place.town.acts = [("/search_by_date", place.town.say(page, **spent))]
    assert place.collect()["failed"] == 0
    assert place.clock.slept[0] == 120


def test_a_limit_that_lasts_for_hours_ends_the_run_and_the_next_one_goes_on(visit):
    place = visit("x")
    day = {"x-app-limit-24hour-remaining": "0", "x-app-limit-24hour-reset": "1793530800", "x-rate-limit-remaining": "9"}
    page = place.town.answer("/2/tweets/search/recent", {"query": "image model"}, None)
    place.town.acts = [("query=image", place.town.say(page, Date="Sun, 01 Nov 2026 00:00:00 GMT", **day))]
    got = place.collect()
    assert (got["requests"], got["cursor"]) == (1, "t2")
    assert got["why"][0].endswith("the rate limit is used up until 2026-11-01 11:00 UTC; run it again then")
    place.clock.advance(11 * 3600 + 60)
    again = place.collect(until=got["queries"][0]["until"])
    assert (again["failed"], again["cursor"], len(place.paths)) == (0, None, 7)


@pytest.mark.parametrize("name", ["x", "bluesky"])
def test_an_expired_cursor_begins_anew_where_the_search_had_come_to(visit, name):
    place = visit(name)
    refusal = place.town.say({"title": "Invalid Request", "error": "InvalidRequest"}, 400)
    place.town.acts = [({"x": "next_token=t2", "bluesky": "cursor=2"}[name], refusal)]
    got = place.collect()
    assert (got["failed"], got["cursor"]) == (0, None)
    end = {"x": "end_time", "bluesky": "until"}[name]
    newest = {"x": "00:20:01", "bluesky": "00:15:01"}[name]  # the first match of page one, with the rest of its second
    assert any(f"{end}=2026-10-20T{newest}Z" in unquote(path) for path in place.paths)
    assert {post.id[-1] for post in place.kept(Post)} >= set({"x": "12345", "bluesky": "abcde"}[name])


def test_a_cursor_that_is_refused_again_at_the_same_place_is_a_failure_that_says_so(visit):
    place = visit("x")
    place.town.posts = [place.town.post(str(n), 0, "image model") for n in range(1, 6)]
    place.town.dead = {"t2"}
    got = place.collect()
    assert got["failed"] == 1
    assert got["why"] == ["x, search image model: the pagination token is not accepted (any more)"]


def test_a_deleted_root_leaves_its_tombstone_and_the_reply_is_asked_for_itself(visit):
    place, _ = collected(visit, "bluesky")
    posts = {post.id[-1]: post for post in place.kept(Post)}
    assert posts["z"].state is PostState.DELETED
    assert sum("getPostThread" in path and path.count("post%2Fd") for path in place.paths) == 1
    threads = {tuple(sorted(woven.members)) for woven in weave(place.kept(Post)).threads()}
    assert tuple(sorted((posts["d"].key, posts["z"].key))) in threads


def test_pages_without_posts_are_no_end_while_the_host_names_a_next_one(visit):
    place = visit("x")
    place.town.acts = [("query=image", place.town.say({"meta": {"result_count": 0, "next_token": "t0"}}))]
    assert place.collect()["posts"] == 5


def test_a_host_that_goes_round_in_circles_is_left(visit):
    place = visit("bluesky")
    page = place.town.say({"posts": [], "cursor": "7"})
    place.town.acts = [("searchPosts", page)] * 9
    got = place.collect()
    assert (got["requests"], got["cursor"]) == (3, None)  # the log-in, the first page, and page 7 once


def test_a_root_that_was_only_mentioned_gets_its_pictures_and_keeps_them(visit):
    place = visit("x")
    place.town.posts[0]["text"] = "a red fox"  # it does not match itself
    place.collect()
    assert [shown.url for post in place.kept(Post) for shown in post.pictures] == []
    place.collect("what a fox")
    [root] = [post for post in place.kept(Post) if post.id == "1"]
    assert [shown.url for shown in root.pictures] == ["https://pbs.twimg.com/media/fox.jpg"]


def test_an_expired_session_is_renewed_once(visit):
    place = visit("bluesky")
    place.town.acts = [("getPostThread", place.town.say({"error": "ExpiredToken"}, 400))]
    got = place.collect()
    assert (got["failed"], place.town.logins) == (0, 2)
    assert place.town.logged_in[0] == {"identifier": "canary-name", "password": "canary-secret-0123456789"}


def test_reddit_is_logged_into_with_the_key_and_asked_with_the_token(visit):
    place, _ = collected(visit, "reddit")
    login, search = place.host.seen[:2]
    assert login.headers["authorization"] == "Basic Y2FuYXJ5LW5hbWU6Y2FuYXJ5LXNlY3JldC0wMTIzNDU2Nzg5"
    assert login.body == b"grant_type=client_credentials"
    assert search.headers["authorization"] == "Bearer reddit-token-0123456789"


def test_a_refused_key_is_one_failure_by_the_name_of_its_variable(visit):
    place = visit("x")
    place.town.acts = [("", Act(status=401, body='{"title": "Unauthorized"}'))]
    got = place.collect()
    assert (got["requests"], got["failed"]) == (1, 1)
    assert got["why"] == ["x, search image model: the host refused the key in CANARY (401)"]


def test_matches_outside_the_window_are_left_out_and_end_a_search_that_has_none_of_its_own(visit):
    place, got = collected(visit, "reddit", since=DAY, until=DAY + timedelta(minutes=20))
    assert {post.id for post in place.kept(Post) if post.id.startswith("t3")} == {"t3_s1"}
    assert got["outside"] == 2  # one is too new, one too old
    assert not any("comments/s0" in path or "comments/s3" in path for path in place.paths)


def test_a_post_that_claims_to_be_older_does_not_end_a_search_whose_platform_keeps_the_window(visit):
    place = visit("bluesky")
    place.town.posts[2]["record"]["createdAt"] = "2019-01-01T00:00:00Z"
    got = place.collect(since=DAY)
    assert (got["outside"], got["queries"][0]["found"]) == (0, 4)


def test_recent_search_is_cut_to_the_seven_days_that_it_reaches(visit):
    place = visit("x")
    place.clock = StillClock(DAY + timedelta(days=7, minutes=-50))
    got = place.collect(since=DAY - timedelta(days=30))
    [cut] = got["out_of_reach"]
    assert (cut["since"], cut["until"]) == (DAY - timedelta(days=30), DAY + timedelta(minutes=10))
    assert "start_time=2026-10-20T00:10:00Z" in unquote(place.paths[0])
    assert {post for page in place.kept(Pull) for post, _ in page.found} == {"3", "4", "5"}
    past = place.collect("other words", since=DAY - timedelta(days=30), until=DAY)
    assert (past["requests"], past["queries"], len(past["out_of_reach"])) == (0, [], 1)


def test_a_window_inside_one_that_was_fetched_needs_nothing_and_one_beyond_it_only_the_rest(visit):
    place, _ = collected(visit, "hackernews", since=DAY, until=DAY + timedelta(minutes=15))
    before = len(place.paths)
    place.collect(since=DAY + timedelta(minutes=2), until=DAY + timedelta(minutes=10))
    assert len(place.paths) == before
    got = place.collect(since=DAY, until=DAY + timedelta(minutes=30))
    assert [row["since"] for row in got["queries"]] == [DAY, DAY + timedelta(minutes=15)]


def test_a_post_that_nobody_answered_in_days_is_not_asked_for_its_conversation(visit):
    place = visit("x")
    for post in place.town.posts:
        post["public_metrics"] = {"reply_count": 0 if post["id"] in "35" else 1}
    place.collect()
    asked = [unquote(path).split("conversation_id:")[1][0] for path in place.paths if "conversation_id%3A" in path]
    assert sorted(asked) == ["1", "9"]


def test_a_link_header_says_how_far_and_not_where_to(visit):
    place, _ = collected(visit, "mastodon")
    assert all("elsewhere" not in path for path in place.paths)
    assert any("max_id=20" in path for path in place.paths)


def test_full_text_search_goes_on_by_offset(visit):
    place = visit("mastodon", keys="")
    got = place.collect("words")
    assert (got["posts"], got["queries"][0]["pages"]) == (45, 2)
    assert "offset=40" in place.paths[1]


def test_hits_of_one_second_are_found_on_both_sides_of_a_page(visit):
    place, _ = collected(visit, "hackernews")
    found = {post for page in place.kept(Pull) if page.what == "search" for post, _ in page.found}
    assert found == {"101", "102", "103", "104", "105"}


def test_a_reply_that_is_no_json_is_asked_for_again(visit):
    place = visit("hackernews")
    place.town.acts = [("/items/101", Act(body="<html>maintenance</html>", content_type="text/html"))]
    got = place.collect()
    assert (got["failed"], got["requests"]) == (0, 8)


def test_a_hostile_reply_reads_no_file_of_this_machine(visit, tmp_path):
    (tmp_path / "private.png").write_bytes(b"\x89PNG")
    place = visit("mastodon")
    status = place.town.status(50, 50) | {"media_attachments": [{"type": "image", "url": "private.png"}]}
    place.town.acts = [("timelines/tag", place.town.say([status]))]
    place.collect("#imagemodel")
    [shown] = [shown for post in place.kept(Post) for shown in post.pictures]
    assert (shown.picture, shown.missing) == (None, "no address on the web")


def test_what_is_missing_is_said_before_anything_is_sent(visit):
    with pytest.raises(UserError, match="x needs the bearer token of an app: add"):
        visit("x", keys="").collect()
    with pytest.raises(UserError, match="--since is not before --until"):
        visit("hackernews").collect(since=DAY, until=DAY)


def test_a_key_without_a_colon_cannot_log_in(visit, monkeypatch):
    place = visit("bluesky")
    monkeypatch.setenv("CANARY", "only-one-half-of-it")
    with pytest.raises(UserError, match="CANARY: must hold NAME:SECRET"):
        place.collect()


TABLE = """
[[collect]]
model = "new-model"
released = 2026-10-10
words_first = ["image model"]
words_after = ["new-model"]
"""


def test_dated_words_turn_fourteen_days_after_the_release(visit):
    place = visit("hackernews", TABLE)
    got = place.collect_dated()
    turn = datetime(2026, 10, 24, tzinfo=UTC)
    rows = [(row["query"], row["since"], row["until"]) for row in got["queries"]]
    assert rows[0] == ("image model", datetime(2026, 10, 10, tzinfo=UTC), turn)
    assert rows[1][:2] == ("new-model", turn)


def test_posts_cost_what_the_workspace_says_and_a_budget_ends_the_run(visit):
    place = visit("x", "price_per_post = 0.005\n[budget]\nusd = 1.0\n")
    got = place.collect()
    assert got["spent_usd"] == pytest.approx(0.005 * sum(page.posts for page in place.kept(Pull)))
    place = visit("x", "price_per_post = 0.005\n[budget]\nusd = 0.9\n")
    got = place.collect("what a fox")
    assert (got["requests"], got["stopped"].partition(":")[0]) == (0, "budget")


def test_under_a_budget_a_price_that_nobody_knows_is_refused(visit):
    got = visit("x", "[budget]\nusd = 1.0\n").collect()
    assert (got["requests"], got["stopped"]) == (
        0, "budget: the price is unknown; give one in groundswell.toml or pass --allow-unknown-price",
    )  # fmt: skip


def test_the_command_prints_the_counts_of_an_ingest_with_cursor_and_requests(visit):
    place = visit("hackernews")
    words = ["collect", "hackernews", "--query", "image model", "--until", "2026-10-30", "--dir", str(place.folder)]
    said = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
    got = json.loads(said.stdout)
    assert said.exit_code == 0
    assert {"posts", "replies", "missing_parents", "pictures", "quotes", "duplicates", "deleted", "bad_lines",
            "not_posts", "cursor", "requests", "new"} <= got.keys()  # fmt: skip
    assert (got["posts"], got["requests"], got["cursor"]) == (6, 7, None)
    shown = CliRunner().invoke(main, words, catch_exceptions=False)
    assert "0 requests" in shown.stdout


@pytest.mark.parametrize(("words", "said"), [
    (["elsewhere", "--query", "a"], "there is no source elsewhere; known: bluesky, hackernews"),
    (["hackernews"], "nothing to collect: pass --query, or write a [[collect]] table"),
])  # fmt: skip
def test_what_cannot_be_collected_is_one_line_and_exit_2(visit, words, said):
    place = visit("hackernews")
    got = CliRunner().invoke(main, ["collect", *words, "--dir", str(place.folder)], catch_exceptions=False)
    assert (got.exit_code, got.stderr.count("\n")) == (2, 1)
    assert said in got.stderr


def test_an_open_key_in_the_workspace_file_is_refused_with_its_line(visit):
    place = visit("x", keys='keys = ["AAAAbearer"]')
    with pytest.raises(UserError, match=r"groundswell.toml:4: a key stands here in the open"):
        place.collect()


def late(place, minutes=12 * 24 * 60 + 30):
    """A reply that comes after the first run and does not hold the words searched for."""
    place.town.posts.append(place.town.post("6", minutes, "she looks happy", parent="1", root="1"))


def test_later_replies_are_found_though_they_do_not_match_and_only_they_are_asked_for(visit):
    place, first = collected(visit, "x")
    late(place)
    place.clock.advance(86_400)
    before = len(place.paths)
    again = place.collect()
    assert (again["new"], again["posts"], again["revisited"]) == (1, 2, 4)  # the reply, with its parent beside it
    asked = [path for path in place.paths[before:] if "conversation_id:" in unquote(path)]
    assert all(f"start_time={first['queries'][0]['until']:%Y-%m-%d}" in path for path in asked)
    third = place.collect()
    assert (third["revisited"], third["requests"]) == (0, 0)


def test_a_run_looks_at_as_many_conversations_again_as_it_may_and_the_next_run_goes_on(visit):
    place, _ = collected(visit, "x")
    place.clock.advance(86_400)
    seen = []
    for _ in range(3):
        seen.append(place.collect(revisits=2)["revisited"])
        place.clock.advance(60)
    assert seen == [2, 2, 0]


def test_old_conversations_are_left_alone(visit):
    place, _ = collected(visit, "x")
    late(place)
    place.clock.advance(8 * 86_400)
    assert place.collect()["revisited"] == 0


@pytest.mark.parametrize(("name", "conversations"), [("reddit", 1), ("bluesky", 2), ("mastodon", 2), ("hackernews", 2)])
def test_every_platform_is_asked_again_once_a_day_for_what_it_answered_before(visit, name, conversations):
    place, _ = collected(visit, name)
    place.clock.advance(86_400)
    again = place.collect(WORDS.get(name, "image model"))
    assert (again["revisited"], again["new"], again["failed"]) == (conversations, 0, 0)
    assert place.collect(WORDS.get(name, "image model"))["revisited"] == 0


def test_a_password_in_the_address_of_a_source_is_refused_with_its_line(tmp_path):
    (tmp_path / FILE_NAME).write_text('[[source]]\nname = "mastodon"\nbase_url = "https://me:secret@town.example"\n')
    with pytest.raises(UserError, match=r"toml:3: a password stands in base_url"):
        load(tmp_path)


def test_doctor_says_what_a_source_lacks(tmp_path, monkeypatch):
    monkeypatch.delenv("UNSET", raising=False)
    sources = {"x": "", "reddit": 'keys = ["env:UNSET"]', "mastodon": "", "elsewhere": ""}
    tables = "".join(f'[[source]]\nname = "{name}"\n{keys}\n' for name, keys in sources.items())
    (tmp_path / FILE_NAME).write_text(tables)
    told = {row["check"]: row["remedy"] or "" for row in examine(tmp_path, offline=True)}
    assert "bearer token" in told["x: source"]
    assert "UNSET" in told["reddit: source"]
    assert told["mastodon: source"] == ""
    assert "elsewhere" in told["elsewhere: source"]
