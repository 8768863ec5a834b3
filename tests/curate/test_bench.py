"""The benchmarks of curation run from posts and a truth to a table; here on one thread of the demo."""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]

TEAPOT = {
    "main": "7000100",
    "style": "inline",
    "prompt": "A glass teapot on an oak table, morning light from the left, thin steam, shallow depth of field, "
    "50mm lens",
    "task": "t2i",
    "pictures": [{"post": "7000100", "role": "output", "on_disk": False}],
    "prompt_fill_blank": None,
    "feedback": [{"post": "7000101", "sentiment": "praise"}],
    "not_feedback": [{"post": "7000102"}],
    "quality": "Benchmark",
}


def bench(*words):
    command, alone = [sys.executable, "-m", *words], {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=alone, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_the_benchmark_prints_a_section_with_wilson_intervals(tmp_path):
    export = json.loads(files("groundswell.curate.demo").joinpath("x.json").read_text())
    posts = [row for row in export["data"] if row["conversation_id"] == "7000100"]
    (tmp_path / "community").mkdir()
    (tmp_path / "screenshots").mkdir()
    (tmp_path / "screenshots" / "annotations.json").write_text("[]")
    lines = "".join(json.dumps(row) + "\n" for row in posts)
    (tmp_path / "community" / "x_v2_posts.jsonl").write_text(lines)
    members = [row["id"] for row in posts]
    truth = {
        "relevance": {"7000100": [5]},
        "orphans": [],
        "threads": [{"main": "7000100", "members": members, "ancestors": []}],
        "samples": [TEAPOT],
    }
    (tmp_path / "community" / "x_v2_truth.json").write_text(json.dumps(truth))
    printed = bench("bench.curation", "--data", str(tmp_path), "--prompts", "0")
    assert "| prompt recovered | 1 | 1 | 1.00 | 0.21–1.00 | 0.85 |" in printed
    assert "The second run: nothing to do." in printed


def test_templates_in_our_own_words_are_filled_and_none_wrongly():
    printed = bench("bench.curation_own", "--only", "templates")
    assert "| blanks filled right | 18 | 18 |" in printed
    assert "| blanks not filled wrongly | 26 | 26 |" in printed
