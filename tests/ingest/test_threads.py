"""Posts to conversations: by hand, and by law for any order."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from groundswell.ingest.threads import build_threads, canonical_url, counts, encode, find, thread_rows, weave
from groundswell.records import Post, PostState, Thread

START = datetime(2025, 1, 1, tzinfo=UTC)


def post(id, reply_to=None, **more):
    minutes = int(id) if str(id).isdecimal() else 0
    more.setdefault("time", START + timedelta(minutes=minutes))
    return Post(platform="x", id=str(id), reply_to=None if reply_to is None else str(reply_to), **more)


def ids(posts, keys):
    by_key = {post.key: post.id for post in posts}
    return [by_key.get(key, "?") for key in keys]


def test_a_conversation_holds_its_posts_parents_first():
    posts = [post(4, 2), post(1), post(3, 1), post(2, 1)]
    (thread,) = build_threads(posts)
    assert ids(posts, thread.members) == ["1", "2", "3", "4"]
    assert thread.parents == (None, 0, 0, 1)
    assert (thread.root, thread.main, thread.missing) == (posts[1].key, posts[1].key, ())


def test_a_matched_post_is_main_with_the_path_from_the_root_as_ancestors():
    posts = [post(1), post(2, 1), post(3, 2), post(4, 3)]
    (thread,) = build_threads(posts, matched={posts[2].key, posts[3].key})
    assert ids(posts, [thread.main]) == ["3"]
    assert ids(posts, thread.ancestors) == ["1", "2"]
    assert ids(posts, thread.matched) == ["3", "4"]


def test_a_missing_parent_is_a_placeholder_with_the_key_the_post_will_have():
    (thread,) = build_threads([post(2, 1), post(3, 1)])
    assert thread.missing == (thread.root,) == (post(1).key,)
    assert len(thread.members) == 3


def test_a_missing_parent_hangs_at_the_conversation_that_its_child_names():
    posts = [post(1), post(3, 2, root="1")]
    (thread,) = build_threads(posts)
    assert ids([*posts, post(2)], thread.members) == ["1", "2", "3"]
    assert thread.parents == (None, 0, 1)


def test_a_tombstone_keeps_its_place_and_a_real_post_wins_over_it():
    stone = Post(platform="x", id="2", state=PostState.DELETED)
    (thread,) = build_threads([post(1), stone, post(3, 2, root="1")])
    assert (thread.parents, thread.missing) == ((None, 0, 1), (stone.key,))
    real = post(2, 1, text="here")
    assert build_threads([real, stone, post(1)]) == build_threads([stone, post(1), real])
    assert build_threads([stone, post(1), real])[0].missing == ()


def test_a_post_whose_parent_is_not_said_belongs_to_the_conversation_it_names():
    (thread,) = build_threads([post(1), post(2, root="1")])
    assert thread.parents == (None, 0)


def test_posts_that_answer_themselves_or_each_other_are_cut_and_reported():
    woven = weave([post(1, 1), post(2, 3), post(3, 4), post(4, 2)])
    assert [(cut.post[1], cut.parent[1], cut.why) for cut in woven.cut] == [("1", "1", "self"), ("2", "3", "cycle")]
    assert [len(thread.members) for thread in woven.threads()] == [1, 3]


def test_one_status_seen_through_two_instances_is_one_post():
    here, there = (Post(platform="mastodon", id=id, url="https://h.example/@fox/9", text="a") for id in ("9", "700"))
    answers = [Post(platform="mastodon", id=id, reply_to=up, text=id) for id, up in (("10", "9"), ("701", "700"))]
    (thread,) = build_threads([here, there, *answers])
    assert thread.parents == (None, 0, 0)


def test_an_edited_post_stands_as_its_newest_version_and_keeps_the_answers_to_all():
    first = post(1, url="https://x.com/i/status/1", text="before")
    second = post(2, url="https://x.com/i/status/1", text="after", revision=1)
    (thread,) = build_threads([first, second, post(3, 1), post(4, 2)])
    assert (thread.root, thread.parents) == (second.key, (None, 0, 0))


def test_the_same_id_on_two_platforms_is_two_posts():
    other = Post(platform="reddit", id="2", reply_to="1")
    assert len(build_threads([post(1), post(2, 1), other])) == 2


def test_the_report_nests_replies_below_the_main_post_by_id():
    woven = weave([post(1), post(2, 1), post(4, 3, root="1")])
    (thread,) = thread_rows(woven)
    assert (thread["main"], thread["ancestors"]) == ("1", [])
    assert thread["replies"] == [
        {"post": "2", "replies": []},
        {"post": "3", "missing": True, "replies": [{"post": "4", "replies": []}]},
    ]
    (below,) = thread_rows(woven, {post(2, 1).key})
    assert (below["main"], below["ancestors"], below["replies"]) == ("2", ["1"], [])


def test_a_thread_thirty_thousand_deep_is_built_and_written_without_recursion():
    n = 30_000
    woven = weave([post(id, id - 1 if id else None) for id in range(n)])
    (thread,) = woven.threads()
    assert thread.parents[-1] == n - 2
    written = "".join(encode(list(thread_rows(woven))))
    assert written.count('"replies":') == n


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=12,
    )
)
def test_json_written_without_recursion_says_the_same(value):
    assert json.loads("".join(encode(value))) == value


def test_an_address_is_known_in_all_the_forms_that_people_copy():
    same = {
        "https://twitter.com/fox/status/12?s=20",
        "https://x.com/fox/status/12/photo/1",
        "http://mobile.twitter.com/i/web/status/12",
        "https://x.com/i/status/12",
    }
    assert {canonical_url(url) for url in same} == {"https://x.com/i/status/12"}
    old = canonical_url("https://old.reddit.com/r/hens/comments/aaa/fox/?sort=new")
    assert old == "https://www.reddit.com/r/hens/comments/aaa/fox/"
    status = post(12, url="https://x.com/i/status/12")
    assert find([status, post(13)], "https://twitter.com/fox/status/12") == [status.key] == find([status], "12")


@st.composite
def conversations(draw):
    n = draw(st.integers(1, 12))
    id = st.integers(0, n + 2)
    return [
        Post(
            platform="x",
            id=str(draw(id)),
            text=draw(st.sampled_from(["", "a", "b"])),
            reply_to=draw(st.none() | id.map(str)),
            root=draw(st.none() | id.map(str)),
            url=draw(st.none() | st.sampled_from(["https://x.com/i/status/1", "https://x.com/i/status/2"])),
            time=draw(st.none() | st.sampled_from([START, START + timedelta(hours=1)])),
            state=draw(st.sampled_from(PostState)),
            revision=draw(st.integers(0, 1)),
        )
        for _ in range(n)
    ]


@given(conversations(), st.randoms())
def test_threads_do_not_depend_on_the_order_of_posts(posts, random):
    one = weave(posts)
    random.shuffle(posts)
    two = weave(posts)
    assert list(one.threads()) == list(two.threads())
    assert (counts(one), list(thread_rows(one))) == (counts(two), list(thread_rows(two)))


@given(conversations())
def test_every_post_stands_in_exactly_one_thread_below_its_parent(posts):
    threads = build_threads(posts)
    members = [key for thread in threads for key in thread.members]
    assert len(members) == len(set(members))
    for thread in threads:
        assert isinstance(thread, Thread)
        assert (thread.parents[0], thread.members[0]) == (None, thread.root)
        assert all(up is not None and up < place for place, up in enumerate(thread.parents) if place)
