"""The example plugin: installed by pip into a folder of its own, found by name, and used in a workspace. Its metric and
its reader pass the checks that every part must pass."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"

USE = """
import io, json
import numpy as np
from PIL import Image
from groundswell import plugins
from groundswell.records import Sample

def png(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()

rough = np.random.default_rng(0).integers(60, 200, (64, 64, 3), dtype=np.uint8)
smooth = np.full((64, 64, 3), 130, np.uint8)
metric = plugins.load("metric", "plastic")()
sample = Sample(suite="s", task="edit", prompts={"en": "make her smile"})
pairs = {"kept": (rough, rough), "lost": (rough, smooth), "flat": (smooth, rough)}
came = {name: metric.measure(sample, "key", [png(a)], png(b)) for name, (a, b) in pairs.items()}
found = {name: getattr(each, "value", None) for name, each in came.items()}
found["why"] = came["flat"].why
print(json.dumps(found))
"""

MAKE_AND_MEASURE = """
[panel]
baselines = ["copy-input", "blank"]
[measure]
metrics = ["plastic"]
[[suite]]
name = "photographs"
limit = 2
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Variables with which Python finds the installed plugin."""
    place = tmp_path_factory.mktemp("plugin")
    shutil.copytree(EXAMPLE, place / "source")
    quietly = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", "install", *quietly, "--target", place / "installed", place / "source"]
    subprocess.run(command, check=True, capture_output=True)
    return {**os.environ, "PYTHONPATH": str(place / "installed")}


def test_an_installed_plugin_is_found_by_name_and_measures(environment):
    run = subprocess.run([sys.executable, "-c", USE], env=environment, check=True, capture_output=True, text=True)
    found = json.loads(run.stdout)
    assert (found["kept"], found["lost"]) == (0.0, 1.0)
    assert found["flat"] is None
    assert found["why"] == "the input has no texture to lose"


def test_a_workspace_measures_with_a_plugin_that_its_file_names(environment, tmp_path):
    (tmp_path / "groundswell.toml").write_text(MAKE_AND_MEASURE)

    def call(*words):
        command = [sys.executable, "-m", "groundswell", *words, "--dir", str(tmp_path), "--json"]
        run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return json.loads(run.stdout)

    call("run", "--only", "generate", "--only", "measure")
    rows = {row["model"]: row for row in call("boards")["metrics"]}
    assert rows["copy-input"]["mean"] == 0.0
    assert rows["blank"]["mean"] > 0.9
    assert (rows["blank"]["metric"], rows["blank"]["better"]) == ("plastic", "lower")


CONFORM = """
import datetime
from groundswell import plugins
from groundswell.records import Post
from groundswell.testing import conformance
from groundswell.testing.host import picture

for check in conformance.METRIC:
    check(plugins.load("metric", "plastic")(), picture("fox"))
when = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
posts = [Post(platform="x", id="1", author="a", time=when, text="Look!\\nPrompt: a fox in the snow\\nEnjoy"),
         Post(platform="x", id="2", author="b", time=when, text="its tail is gone", reply_to="1")]
for check in conformance.READER:
    check(plugins.load("reader", "marked")(lambda digest: b""), posts)
print("conform")
"""


def test_its_parts_conform(environment):
    run = subprocess.run([sys.executable, "-c", CONFORM], env=environment, capture_output=True, text=True)
    assert run.stdout == "conform\n", run.stderr


def test_its_reader_reads_posts_of_a_workspace(environment, tmp_path):
    posts = {"data": [
        {"id": "1", "text": "Look! Prompt: nothing", "author_id": "2", "created_at": "2026-11-01T00:00:00Z"},
        {"id": "2", "text": "New\nPrompt: A fox in the snow", "author_id": "2", "created_at": "2026-11-01T00:00:00Z"},
    ]}  # fmt: skip
    (tmp_path / "groundswell.toml").write_text('[reader]\nuse = "marked"\n')
    (tmp_path / "x.json").write_text(json.dumps(posts))
    for words in (("ingest", "x.json"), ("curate",)):
        command = [sys.executable, "-m", "groundswell", *words, "--dir", str(tmp_path), "--json"]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
        assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(run.stdout)
    assert (found["posts"], found["samples"], found["edit"]) == (2, 1, 0)
