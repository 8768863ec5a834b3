"""From a number to the posts, each step with its key."""

import pytest

from groundswell.errors import UserError
from groundswell.publish.explain import explain, explain_metric, story


def test_a_rating_leads_to_its_comparisons_by_opponent_and_by_sample(world):
    found = explain(world.store, world.boards[0], "ada", None, comparisons=world.comparisons)
    assert found["rating"]["rating"] == 1200.0
    assert found["opponents"][0] == {"model": "bob", "wins": 1, "ties": 1, "losses": 0, "share": 0.75}
    assert sum(each["wins"] for each in found["samples"]) == 5


def test_a_sample_leads_to_grades_raw_replies_outputs_and_posts(world):
    comparison = world.comparisons[0]
    found = explain(world.store, world.boards[0], "ada", comparison.sample[:8], comparisons=world.comparisons)
    output = found["outputs"][0]
    assert output["model"] == "ada"
    assert [verdict["reply"] for verdict in output["verdicts"]] == [
        "Fine. a plain sentence\nGrade: 9",
        "a plain sentence [[8]]",
    ]
    assert all(world.store.get(verdict["key"]) for verdict in output["verdicts"])
    assert world.blobs.has(output["blobs"][0]["digest"])
    assert [post["id"] for post in found["posts"]] == ["0"]
    assert len(found["threads"][0]["members"]) == 2


def test_the_way_ends_at_what_was_forgotten(fresh):
    comparison = fresh.comparisons[0]
    sample = fresh.store.get(comparison.sample)
    del fresh.store.kept[sample.origins[0]]
    found = explain(fresh.store, fresh.boards[0], "ada", sample.key, comparisons=fresh.comparisons)
    assert found["posts"] == [{"key": sample.origins[0], "gone": True}]


def test_an_unranked_model_says_why(world):
    found = explain(world.store, world.boards[0], "copy-input", None, comparisons=world.comparisons)
    assert found["rating"] is None
    assert found["unranked"]["side"] == "below"


def test_an_unknown_model_or_sample_is_named_with_those_there_are(world):
    with pytest.raises(UserError, match="ada, bob, cyd"):
        explain(world.store, world.boards[0], "dan", None)
    with pytest.raises(UserError, match="'ffff'"):
        explain(world.store, world.boards[0], "ada", "ffff", comparisons=world.comparisons)


def test_a_person_reads_the_way_home_down_to_the_post(world):
    found = explain(world.store, world.boards[0], "ada", world.comparisons[0].sample, comparisons=world.comparisons)
    text = story(found)
    assert "rating 1200, 95 % between 1150 and 1250, rank 1 to 2" in text
    assert f"judgment by judge-b: {{'grade': 8.0}}  {found['outputs'][0]['verdicts'][1]['key']}" in text
    assert "unread by judge-b: conflict" in text
    assert text.endswith("https://example.org/0")


def test_a_reply_cannot_command_the_terminal(hostile):
    board = hostile.boards[0]
    for comparison in hostile.comparisons:
        text = story(explain(hostile.store, board, comparison.left, comparison.sample, comparisons=hostile.comparisons))
        assert not {"\x1b", "\x00", "\u202e"} & set(text)


def test_a_mean_leads_to_every_output_and_to_those_that_have_no_number(world):
    found = explain_metric(world.store, "color", "ada", None)
    column = found["columns"][0]
    assert (column["backend"], column["mean"], len(column["values"])) == ("histogram", 27.749, 6)
    faces = explain_metric(world.store, "face", "bob", None)["columns"][0]
    assert faces["mean"] is None
    assert {row["why"] for row in faces["silent"]} == {"no face in the input"}
    assert "sface, version 1: no number, 5 outputs without one" in story(
        explain_metric(world.store, "face", "bob", None)
    )


def test_a_measured_output_leads_to_a_file_that_can_be_opened(world):
    sample = world.comparisons[0].sample
    found = explain_metric(world.store, "color", "ada", sample[:8], blobs="/space/blobs/")
    digest = found["outputs"][0]["blobs"][0]["digest"]
    assert f"    file /space/blobs/{digest[:2]}/{digest[2:]}" in story(found)
    assert f"  input /space/blobs/{found['inputs'][0]['digest'][:2]}/" in story(found)
    with pytest.raises(UserError, match="no output of ada was measured for charm"):
        explain_metric(world.store, "charm", "ada", None)
