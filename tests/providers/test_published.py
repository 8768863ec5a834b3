"""The table of published settings: it can be cited, every dialect takes it, and the workspace file comes first."""

import re
from pathlib import Path

import pytest

from groundswell import plugins
from groundswell.files import write_text
from groundswell.flow.workspace import workspace
from groundswell.providers.published import Settled, published, table

ROWS = {f"{row.host} {row.models[0]}": row for row in table()}
OURS = {"image_field", "largest", "omit", "shape", "sizes", "square"}

WORKSPACE = """
[[endpoint]]
name = "published"
host = "bfl"
model = "flux-2-pro"

[[endpoint]]
name = "stated"
host = "bfl"
model = "flux-2-pro"
settings = { safety_tolerance = 0 }

[[endpoint]]
name = "unheard of"
host = "bfl"
model = "flux-99"
"""


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_every_row_is_dated_and_sourced_and_its_dialect_sends_a_square_unless_a_size_is_wanted(row, begin, sent, cat):
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", row.date)
    assert row.source
    codec = Settled(plugins.load("provider", row.host)())
    calls = [
        begin(codec, row.settings, model=row.models[0], size=size, parts=parts)
        for size, parts in ((None, ("a fox",)), ((1024, 512), ("a fox",)), (None, ("gray", cat)))
    ]
    bodies = [b"".join(piece for piece in call.body if isinstance(piece, bytes)) for call in calls]
    assert len(set(bodies)) == 3
    assert not [name for name in OURS for body in bodies if f'"{name}"'.encode() in body]


def test_a_seed_goes_along_where_the_host_takes_one(begin, sent):
    row = published("bfl", "flux-2-pro")
    body = sent(begin(Settled(plugins.load("provider", "bfl")()), row.settings, model="flux-2-pro", seed=42))
    assert body == {"prompt": "a red fox", "seed": 42, "safety_tolerance": 2, "width": 2048, "height": 2048}


def test_the_size_that_a_sample_wants_wins_over_the_settings(begin, sent):
    for host, model, wanted in [
        ("bfl", "flux-2-pro", {"width": 1024, "height": 512}),
        ("bfl", "flux-pro-1.1-ultra", {"aspect_ratio": "16:9"}),
        ("fal", "fal-ai/qwen-image", {"image_size": {"width": 1024, "height": 512}}),
        ("fal", "fal-ai/nano-banana-pro", {"aspect_ratio": "16:9"}),
        ("replicate", "black-forest-labs/flux-1.1-pro", {"aspect_ratio": "custom", "width": 1024, "height": 512}),
    ]:
        codec, settings = Settled(plugins.load("provider", host)()), published(host, model).settings
        body = sent(begin(codec, settings, model=model, size=(1024, 512)))
        body = body.get("input", body)
        assert {name: body[name] for name in wanted} == wanted
        assert "resolution" not in body


def test_a_timed_request_asks_for_1024_with_its_checks_off(begin, sent):
    row = published("fal", "fal-ai/bytedance/seedream/v4/text-to-image")
    codec = Settled(plugins.load("provider", "fal")())
    body = sent(begin(codec, {**row.settings, **row.timed}, model=row.models[0], size=(1024, 1024)))
    assert body["image_size"] == {"width": 1024, "height": 1024}
    assert body["enable_safety_checker"] is False


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-image-1", True),
        ("gpt-image-1-2025-04-23", True),
        ("gpt-image-1-mini", True),
        ("gpt-image-1-huge", False),
        ("gpt-image", False),
    ],
)
def test_a_dated_snapshot_is_its_model_and_another_name_is_not(model, known):
    assert (published("openai", model) is not None) == known


def test_the_workspace_file_comes_first_and_what_nobody_published_is_left_to_the_host(tmp_path):
    write_text(tmp_path / "groundswell.toml", WORKSPACE)
    with workspace(tmp_path) as space:
        said = {each["endpoint"]: each for each in map(space.settings_of, space.config.file.endpoint)}
    assert said["published"]["settings"] == {"safety_tolerance": 2, "square": {"width": 2048, "height": 2048}}
    assert said["published"]["date"] == "2026-11-30"
    assert (said["stated"]["settings"], said["stated"]["source"]) == ({"safety_tolerance": 0}, "groundswell.toml")
    assert (said["unheard of"]["settings"], said["unheard of"]["source"]) == ({}, None)


def test_an_edit_keeps_the_proportions_of_its_input_and_the_highest_resolution(begin, sent, cat):
    codec, row = Settled(plugins.load("provider", "fal")()), published("fal", "fal-ai/nano-banana-pro")
    body = sent(begin(codec, row.settings, model="fal-ai/nano-banana-pro", parts=("gray", cat)))
    assert (body["resolution"], "aspect_ratio" in body) == ("4K", False)


def test_the_docs_say_how_many_rows_were_read_and_how_many_not():
    page, resold, known = (sum(row.how == how for row in table()) for how in ("page", "resold", "known"))
    text = " ".join((Path(__file__).parents[2] / "docs/hosts/README.md").read_text().split())
    assert f"{page} were read in a stored copy of the page, {resold} where somebody else documents" in text
    assert f"{known} are from what is known" in text
