"""What each reader makes of its format."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from groundswell.ingest import FORMATS, detect
from groundswell.records import PostState


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_told_by_its_content(name, exports, tmp_path):
    path = tmp_path / "misleading-name.csv"
    path.write_text(json.dumps(exports[name]))
    assert detect(path).format == name


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_the_same_pretty_printed_on_one_line_and_with_a_byte_order_mark(name, exports, read):
    value = exports[name]
    pretty = b"\xef\xbb\xbf" + json.dumps(value, indent=2).replace("\n", "\r\n").encode()
    assert read(value).posts == read(pretty).posts == read(json.dumps(value).encode("utf-16")).posts


def test_x_v2_gives_pictures_in_the_order_of_the_post_and_says_which_have_no_entry(exports, read):
    post, reply, included = read(exports["x-v2"]).posts
    assert [shown.url.rpartition("/")[2] for shown in post.pictures] == ["two.jpg", "one.jpg", ""]
    assert [shown.missing for shown in post.pictures] == [None, None, "no media entry"]
    assert post.pictures[0].alt == "a fox"
    assert (reply.reply_to, reply.root, reply.quote_of) == (post.id, post.id, included.id)
    assert post.engagement == {"likes": 5, "reposts": 1, "replies": 1, "quotes": 0}


def test_x_v2_entry_of_errors_becomes_a_tombstone_and_not_a_post(exports, read):
    result = read(exports["x-v2"])
    assert [(post.id, post.state) for post in result.tombstones] == [("1700000000000000000", PostState.DELETED)]
    assert result.report()["posts"] == 3


def test_x_v2_flattened_post_carries_its_author_media_and_the_posts_it_names(read):
    flat = {
        "id": "2",
        "text": "look",
        "author": {"id": "7"},
        "attachments": {"media": [{"media_key": "3_1", "type": "photo", "url": "https://p.example/1.jpg"}]},
        "referenced_tweets": [{"type": "replied_to", "id": "1", "text": "before", "author_id": "8"}],
    }
    reply, parent = read(flat).posts
    assert (reply.reply_to, parent.id, parent.text) == ("1", "1", "before")
    assert reply.pictures[0].url == "https://p.example/1.jpg"
    assert None not in (reply.author, parent.author)


def test_x_v2_an_edited_post_keeps_the_address_of_its_first_version(read):
    page = {"data": [{"id": id, "text": id, "edit_history_tweet_ids": ["1", "2"]} for id in ("1", "2")]}
    before, after = read(page).posts
    assert (before.revision, after.revision) == (0, 1)
    assert before.url == after.url == "https://x.com/i/status/1"


def test_x_v2_long_text_wins_over_the_cut_one(read):
    page = {"data": [{"id": "1", "text": "cut…", "note_tweet": {"text": "not cut"}}]}
    assert read(page).posts[0].text == "not cut"


def test_x_v2_empty_lists_written_as_objects_by_r_are_empty(read):
    row = {"id": "1", "text": "a", "conversation_id": "1", "referenced_tweets": {}, "attachments": {"media_keys": {}}}
    (post,) = read([row]).posts
    assert (post.pictures, post.reply_to) == ((), None)


def test_x_v1_text_form_of_an_id_wins_over_the_rounded_number(exports, read):
    result = read(exports["x-v1"])
    post, quoted = result.posts
    assert (post.id, post.reply_to) == ("872836479608733696", "872836379595620353")
    assert result.report()["rounded_ids"] == 2
    assert (post.text, post.quote_of) == ("not cut <short>", quoted.id)
    assert post.pictures[0].url.endswith("three.jpg")
    assert post.time == datetime(2017, 6, 8, 15, 23, 27, tzinfo=UTC)


def test_x_v1_ids_known_only_as_rounded_numbers_are_reported_with_the_posts_that_share_one(read):
    rows = [
        {"id": 675127116845989900, "text": "a", "user": {}},
        {"id": 675127116845989900, "text": "b", "user": {}},
        {"id": 675127116845989900, "id_str": "675127116845989888", "text": "a", "user": {}},
    ]
    report = read("\n".join(map(json.dumps, rows))).report()
    assert (report["posts"], report["rounded_ids"], report["unsafe_ids"], report["shared_ids"]) == (2, 1, 2, 1)


def test_x_graphql_finds_posts_and_tombstones_wherever_they_stand(exports, read):
    result = read(exports["x-graphql"])
    (post,) = result.posts
    assert (post.text, post.engagement["views"]) == ("long words", 12)
    assert [(stone.id, stone.state) for stone in result.tombstones] == [("1900000000000000011", PostState.DELETED)]
    entry = exports["x-graphql"]["data"]["threaded_conversation_with_injections_v2"]["instructions"][0]["entries"][0]
    assert read(entry).posts == result.posts


def test_x_archive_reads_the_assignment_and_joins_long_texts_to_their_posts(exports, tmp_path, read):
    exports["x-archive"][0]["tweet"]["full_text"] = "@hen " + "x" * 280
    note = {"noteTweet": {"createdAt": "2025-12-02T06:23:48.000Z", "core": {"text": "x" * 400}}}
    alone = read("window.YTD.note_tweet.part0 = " + json.dumps([note])).report()
    assert (alone["posts"], alone["files"][0]["note_tweets"], alone["not_posts"]) == (0, 1, 0)
    (tmp_path / "note-tweet.js").write_text("window.YTD.note_tweet.part0 = " + json.dumps([note]))
    (post,) = read("window.YTD.tweets.part0 = " + json.dumps(exports["x-archive"], indent=2)).posts
    assert (len(post.text), post.engagement["likes"]) == (400, 4)


def test_reddit_gallery_keeps_its_order_and_says_which_picture_failed(exports, read):
    result = read(exports["reddit"])
    post = result.posts[0]
    assert [(shown.missing, shown.alt) for shown in post.pictures] == [("failed", None), (None, "hen")]
    assert post.pictures[1].url == "https://preview.redd.it/m2.png?a=1&s=2"
    assert (post.title, result.report()["files"][0]["more_stubs"]) == ("Fox & hen", 1)


def test_reddit_deleted_comment_stays_in_the_tree_without_words_or_author(exports, read):
    _, gone, reply = read(exports["reddit"]).posts
    assert (gone.state, gone.text, gone.author) == (PostState.DELETED, "", None)
    assert (gone.reply_to, reply.reply_to, reply.root) == ("t3_aaa", "t1_c1", "t3_aaa")


def test_reddit_animation_without_a_still_address_gives_its_gif(exports, read):
    (shown,) = read(exports["pushshift"]).posts[0].pictures
    assert (shown.media, shown.url) == ("animation", "https://i.redd.it/g.gif")


def test_pushshift_and_the_api_name_the_same_post_alike(exports, read):
    api = {"kind": "Listing", "data": {"children": [{"kind": "t3", "data": exports["pushshift"]}]}}
    assert read(api).posts == read(exports["pushshift"]).posts


def test_bluesky_missing_and_blocked_posts_are_tombstones_and_ids_come_from_the_record(exports, read):
    result = read(exports["bluesky"])
    (post,) = result.posts
    assert (post.reply_to[-1], post.root[-1]) == ("2", "1")
    deleted, blocked = result.tombstones
    assert (deleted.state, blocked.state) == (PostState.DELETED, PostState.BLOCKED)
    assert blocked.reply_to == post.id


def test_bluesky_feed_item_with_missing_root_and_parent_takes_their_ids_from_the_record(read):
    item = {
        "post": {
            "uri": "at://x/p/9",
            "author": {"did": "did:plc:a"},
            "record": {"text": "t", "reply": {"parent": {"uri": "at://x/p/8"}, "root": {"uri": "at://x/p/1"}}},
        },
        "reply": {
            "parent": {"$type": "app.bsky.feed.defs#notFoundPost", "uri": "at://x/p/8", "notFound": True},
            "root": {"$type": "app.bsky.feed.defs#blockedPost", "uri": "at://x/p/1", "blocked": True},
        },
    }
    result = read({"feed": [item]})
    assert [(post.id, post.reply_to, post.root) for post in result.posts] == [
        ("at://x/p/9", "at://x/p/8", "at://x/p/1")
    ]
    assert {post.id[-1]: post.state for post in result.tombstones} == {"8": PostState.DELETED, "1": PostState.BLOCKED}


def test_bluesky_copy_inside_a_quote_is_no_post_of_its_own(exports, read):
    inner = {"uri": "at://did:plc:b/app.bsky.feed.post/7", "author": {"did": "did:plc:b"}, "value": {"text": "copy"}}
    exports["bluesky"]["thread"]["post"]["embed"] = {"$type": "app.bsky.embed.record#view", "record": inner}
    (post,) = read(exports["bluesky"]).posts
    assert post.quote_of == inner["uri"]


def test_mastodon_text_is_plain_with_accounts_kept_and_addresses_masked(exports, read):
    (post,) = read(exports["mastodon"]).posts
    assert post.text == "Ask @hen@hens.example\nor [email] & co"
    assert (post.state, post.revision) == (PostState.BLOCKED, 1669328677)


def test_mastodon_versions_of_one_status_are_revisions_of_one_post(exports, read):
    status = exports["mastodon"]["descendants"][0]
    calls = [{"method": "GET", "json": {**status, "edited_at": None, "content": "<p>first</p>"}}, {"json": status}]
    result = read(calls)
    assert sorted(post.revision for post in result.posts) == [0, 1669328677]
    assert (result.report()["posts"], result.report()["duplicates"]) == (1, 1)


def test_hackernews_nested_and_flat_items_keep_the_dead_with_their_state(exports, read):
    story, comment, deleted = read(exports["hackernews"]).posts
    assert (comment.reply_to, comment.text, deleted.reply_to, deleted.state) == (
        "1",
        "no > yes",
        "2",
        PostState.DELETED,
    )
    assert (story.title, story.engagement) == ("Hens", {"score": 3})
    (flat,) = read(exports["firebase"]).posts
    assert (flat.reply_to, flat.text) == ("4", "it's")


def test_discord_counts_messages_and_not_the_stated_number(exports, read):
    result = read(exports["discord"])
    first, second = result.posts
    assert (result.report()["posts"], result.report()["duplicates"]) == (2, 1)
    assert (first.pictures[0].missing, second.reply_to) == ("not on disk", "30")


def test_discord_picture_beside_the_export_is_found_with_backslashes_and_never_outside(exports, read, tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "one.png").write_bytes(b"bytes")
    seen = []

    def keep(data):
        seen.append(data)
        raise ValueError("no picture")

    (shown,) = read(exports["discord"], keep=keep).posts[0].pictures
    assert (seen, shown.missing) == ([b"bytes"], "unreadable: no picture")
    exports["discord"]["messages"][0]["attachments"][0]["url"] = "..\\..\\secret.png"
    assert read(exports["discord"]).posts[0].pictures[0].missing == "outside the folder of the export"


def test_telegram_tells_authors_of_one_name_apart_and_joins_pieces_of_text(exports, read):
    result = read(exports["telegram"])
    first, second = result.posts
    assert (first.text, first.pictures[0].missing) == ("see https://example.org", "not included")
    assert first.author != second.author
    assert (second.reply_to, result.report()["files"][0]["service"]) == ("99/2", 1)


def test_x_activity_streams_say_the_same_as_the_api(read):
    def activity(id, body, **more):
        name = {
            "id": f"tag:search.twitter.com,2005:{id}",
            "objectType": "activity",
            "actor": {"id": "id:twitter.com:5"},
        }
        return {**name, "body": body, "postedTime": "2017-06-08T15:23:27.000Z", **more}

    link = "http://twitter.com/hen/statuses/872836379595620353"
    media = {"media": [{"type": "photo", "media_url_https": "https://pbs.twimg.com/media/three.jpg"}]}
    quoted = activity("872836379595620300", "quoted")
    more = {"twitter_quoted_status": quoted, "inReplyTo": {"link": link}, "twitter_extended_entities": media}
    post, inner = read(activity("872836479608733696", "words", **more)).posts
    assert (post.id, post.reply_to, post.quote_of) == ("872836479608733696", "872836379595620353", inner.id)
    assert (post.author, post.pictures[0].media) == (inner.author, "picture")
    result = read(activity("3", "RT @hen: words", verb="share", object=activity("2", "words")))
    assert (result.report()["posts"], result.report()["retweets"]) == (2, 1)


def test_x_archive_of_early_years_holds_its_posts_bare(read, tmp_path):
    early = 'Grailbird.data.tweets_2013_01 =\n[{"id_str": "9", "text": "early", "user": {}, "created_at": "x"}]'
    result = read(early)
    assert (result.posts[0].text, result.report()["files"][0]["format"]) == ("early", "x-archive")


def test_one_number_at_two_instances_of_mastodon_is_two_posts(exports, read):
    here = exports["mastodon"]
    there = json.loads(json.dumps(here).replace("hens.example", "foxes.example"))
    result = read(here, there)
    assert {post.id for post in result.posts} == {"hens.example/109", "foxes.example/109"}
    assert {post.reply_to for post in result.posts} == {"hens.example/108", "foxes.example/108"}


def test_the_instance_is_told_for_a_whole_file_of_lines_by_the_first_line_that_tells_it(exports, read):
    own = exports["mastodon"]["descendants"][0]
    remote = own | {"id": "7", "account": {"acct": "a@far.example", "url": "https://far.example/@a"}, "mentions": []}
    result = read("\n".join(map(json.dumps, (remote, own))))
    assert [post.id for post in result.posts] == ["hens.example/7", "hens.example/109"]
    alone = read(remote)
    assert ([post.id for post in alone.posts], alone.report()["files"][0]["unknown_instances"]) == (["7"], 1)
