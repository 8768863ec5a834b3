"""Pictures are fetched once, without a key, and from nowhere that a stranger's address must not lead."""

from __future__ import annotations

import pytest

from groundswell.flow.community import keep_posts
from groundswell.flow.workspace import workspace
from groundswell.ingest import read_files
from groundswell.records import Post
from groundswell.testing.host import Act


@pytest.fixture
def place(visit):
    """A tag with one status whose pictures lie on the instance itself; `show` says where."""
    place = visit("mastodon")

    def show(*addresses):
        media = [
            {"type": "image", "url": address if ":" in address else place.host.origin + address}
            for address in addresses
        ]
        place.status = place.town.status(50, 50) | {"media_attachments": media}
        place.town.acts = [("timelines/tag", place.town.say([place.status]))]

    place.show = show
    place.town.pictures = {"/pictures/fox.png": Act(), "/pictures/text.png": Act(body="no picture")}
    return place


def collect(place):
    got = place.collect("#imagemodel", pictures=True)
    return got["fetched"], got["not_fetched"], got["pictures_failed"]


def shown(place):
    [post] = place.kept(Post)
    return [each.picture.width if each.picture else each.missing for each in post.pictures]


def test_a_picture_is_kept_with_its_post_and_asked_for_once_and_without_the_key(place):
    place.show("/pictures/fox.png")
    assert collect(place) == (1, 0, 0)
    assert shown(place) == [64]
    assert collect(place) == (0, 0, 0)
    [asked] = [seen for seen in place.host.seen if seen.path == "/pictures/fox.png"]
    assert "authorization" not in asked.headers


def test_what_is_gone_unreadable_or_in_a_private_network_says_so_in_its_place(place):
    place.show(
        "/pictures/fox.png", "/pictures/gone.png", "/pictures/text.png", "http://127.0.0.1:9/x.png", "http://[::1/x"
    )
    assert collect(place) == (1, 4, 0)
    width, gone, text, private, broken = shown(place)
    assert (width, gone, private) == (64, "not fetched: status 404", "not fetched: a reply leads to a private address")
    assert text.startswith("unreadable: ")
    assert broken.startswith("not fetched: ")


def test_a_host_that_is_down_is_asked_again_in_the_next_run_and_the_rest_is_kept(place):
    place.show("/pictures/fox.png", "/pictures/busy.png")
    place.town.acts += [("busy.png", Act(status=503))] * 6
    place.town.pictures["/pictures/busy.png"] = Act()
    assert collect(place) == (1, 0, 1)
    assert collect(place) == (1, 0, 0)
    assert shown(place) == [64, 64]
    assert place.paths.count("/pictures/fox.png") == 1


def test_a_later_sighting_of_the_post_does_not_lose_its_pictures(place, tmp_path):
    place.show("/pictures/fox.png")
    collect(place)
    export = tmp_path / "export.json"
    export.write_bytes(place.town.say([place.status | {"favourites_count": 900}]).body.encode())
    with workspace(place.folder) as space:
        keep_posts(space, read_files([export], salt="other"))
    assert shown(place) == [64]
    assert place.kept(Post)[0].engagement["likes"] == 900
