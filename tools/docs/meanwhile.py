"""What happens beside the terminal while a page is run: people vote, programs of one's own make pictures."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files as resources
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import numpy as np
import polars as pl

from groundswell.curate.demo import drawing
from groundswell.files import read_rows, write_bytes
from groundswell.flow.running import RunOptions, run
from groundswell.flow.standing import publish, standings
from groundswell.flow.workspace import workspace
from groundswell.pictures import encode_png, pixels
from groundswell.testing.acts import picture
from tools.docs.running import Meanwhile, Terminal


def keys(terminal: Terminal) -> None:
    """The reader has exported the keys of the hosts."""
    for name in ("OPENAI", "TOGETHER", "GEMINI", "ANTHROPIC"):
        terminal.environment[f"{name}_API_KEY"] = f"a-key-of-{name.lower()}"


TASKS = ("add", "color", "remove", "text")


def cpi_parquet(terminal: Terminal) -> None:
    """The reader has a Parquet file with the columns of CPI-Bench: eight edits of two plain pictures."""
    rows = [
        {
            "id": f"g{number:03d}",
            "task": TASKS[number % len(TASKS)],
            "a_to_b_instructions": f"把第{number}个方块改一下",
            "a_to_b_instructions_eng": f"Change square number {number}",
            "rationale": "",
            "target_resolution": "256x256",
            "source": [{"bytes": picture(f"source {number % 2}", side=256)}],
        }
        for number in range(8)
    ]
    pl.DataFrame(rows).write_parquet(terminal.folder / "general.parquet")


def my_model(terminal: Terminal) -> None:
    """The reader's model works through what was exported: all but the last sample, which is too hard for it."""
    results = terminal.folder / "results"
    results.mkdir()
    for _, row in list(read_rows(terminal.folder / "out" / "samples.jsonl"))[:-1]:
        drawn = picture(f"my model {row['id']}", side=256)
        write_bytes(results / f"{row['sample_index']:06d}.png", drawn)


MODELS = {"model-a": 0, "model-b": 1, "model-c": 2}
"""Each draws in a channel of its own: red, green, blue. People here like red best, then green."""


DARKEST, STEP = 30, 8
"""The other channels tell the prompt's number."""


def three_folders(terminal: Terminal) -> None:
    """The reader has twelve prompts, and the pictures of three models in three folders."""
    prompts = [f"A still life with {number} lemons on a blue cloth" for number in range(1, 13)]
    (terminal.folder / "prompts.txt").write_text("\n".join(prompts) + "\n")
    for model, channel in MODELS.items():
        for number in range(1, 13):
            drawn = np.full((256, 256, 3), DARKEST + STEP * number, dtype=np.uint8)
            drawn[..., channel] = 220
            write_bytes(terminal.folder / model / f"{number}.png", encode_png(drawn))


def colleagues(terminal: Terminal) -> None:
    """Ten colleagues vote in their browsers, twelve times each, all at once."""
    with ThreadPoolExecutor(max_workers=10) as pool:
        list(pool.map(_vote, [terminal.served] * 10))


BALLOT = re.compile(r'name="ballot" value="([^"]+)"')
SIDES = re.compile(r'data-side="(?:left|right)">\s*<img src="([^"]+)"')


def _vote(address: str) -> None:
    """One person's session: look at both pictures, wait as long as the arena wants, and choose."""
    browser = build_opener(HTTPCookieProcessor())
    for _ in range(12):
        page = browser.open(f"{address}/").read().decode()
        ballot = BALLOT.search(page)
        if ballot is None:  # this session has seen every pair
            return
        left, right = (_seen(browser.open(f"{address}{side}").read()) for side in SIDES.findall(page))
        time.sleep(LOOK_SECONDS)
        odd = (left[1] + left[0] + right[0]) % 5 == 0
        choice = "left" if (left < right) != odd else "right"
        browser.open(f"{address}/vote", urlencode({"ballot": ballot[1], "choice": choice}).encode())


LOOK_SECONDS = 0.25


def _seen(picture: bytes) -> tuple[int, int]:
    """Which model drew it, and for which prompt. On a fifth of the prompts people like a pair the other way round."""
    colour = pixels(picture).reshape(-1, 3).mean(axis=0)
    return int(colour.argmax()), round((float(colour.min()) - DARKEST) / STEP)


def exports(terminal: Terminal) -> None:
    """The reader has exports of Reddit and X, with their pictures beside them."""
    folder = terminal.folder / "exports"
    for name in ("reddit.json", "x.json"):
        write_bytes(folder / name, resources(drawing.__package__ or "").joinpath(name).read_bytes())
    for name in drawing.names():
        write_bytes(folder / "pictures" / f"{name}.png", drawing.draw(name))


def published(terminal: Terminal) -> None:
    """Somebody has published a workspace: its folder, with site and snapshot."""
    folder = terminal.folder / "bench"
    folder.mkdir()
    (folder / "groundswell.toml").write_text(PUBLISHED)
    with workspace(folder) as space:
        run(space, RunOptions())
        publish(space, standings(space))


PUBLISHED = """
[panel]
quorum = 1
baselines = ["copy-input", "blank"]

[[suite]]
name = "photographs"
edition = "2026-11"
limit = 8
""" + "".join(
    f'[[endpoint]]\nname = "{name}"\nhost = "local"\nmodel = "{name}"\ntasks = ["edit"]\nservice = "local"\n'
    for name in ("opencv-careful", "hasty", "filter-happy")
)


MEANWHILE: Mapping[str, Meanwhile] = {
    "keys": keys,
    "cpi-parquet": cpi_parquet,
    "my-model": my_model,
    "three-folders": three_folders,
    "colleagues": colleagues,
    "exports": exports,
    "published": published,
}
