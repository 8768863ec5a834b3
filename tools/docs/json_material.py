"""A workspace and files for every command, so that its `--json` can be looked at."""

from __future__ import annotations

WORKSPACE = """
[[endpoint]]
name = "opencv-careful"
host = "local"
model = "opencv-careful"
tasks = ["edit"]

[[endpoint]]
name = "hasty"
host = "local"
model = "hasty"
tasks = ["edit"]

[[endpoint]]
name = "flux"
host = "together"
model = "black-forest-labs/FLUX.1-schnell"
tasks = ["t2i"]
price_per_image = 0.003

[[judge]]
name = "judge"
host = "openai"
model = "gpt-4o-2024-08-06"
price_per_call = 0.001

[[suite]]
name = "photographs"
edition = "first"
limit = 3

[panel]
judges = ["judge"]
quorum = 1
baselines = ["blank"]
"""

RUNS = """
init other
ingest exports/reddit.json exports/x.json
threads
curate
curate review
suite import general.parquet
suite import prompts.txt
suite show prompts
suite list
suite export cpi-general out
suite results cpi-general results --model my-model
run --dry-run
run --budget 5
status
doctor
boards
explain photographs hasty
suite scores cpi-general
judge card checks --outputs 3 --suite photographs
judge reread
endpoint test flux
probe flux
publish
report
replay first
workspace check
freeze prompts 2026-12
compare prompts draft 2026-12
admit rows.jsonl
retire
release prompts
rank snapshot/comparisons.parquet --only by=panel
score llava reviews.jsonl
score cpi cases.jsonl
score echo grades.jsonl
agree judgments.jsonl votes.jsonl
exchange export votes.jsonl battles.json --to lmarena
exchange import battles.json again.jsonl
tag
metric color --input exports/pictures/dog.png --output exports/pictures/dog_winter.png
metric color --pairs pairs.jsonl
judge parse replies.jsonl
curate screenshot exports/pictures/dog.png
forget https://x.com/i/status/7000100
completion bash
plugins
"""
"""Commands whose keys are compared, in order, in one workspace."""

FILES = {
    "prompts.txt": "A red kite\nA blue door\n",
    "rows.jsonl": '{"id": 1, "suite": "arena", "task": "t2i", "prompts": {"en": "A glass of tea, backlit"}}\n',
    "reviews.jsonl": """\
{"question_id": 1, "category": "conv", "content": "8 6", "tuple": [8, 6]}
{"question_id": 2, "category": "conv", "content": "", "tuple": [-1, -1]}
""",
    "cases.jsonl": """\
{"sample_index": 0, "id": "0", "subset": "general", "task": "add", "lang": "en", "scores": {"A": 3, "B": 4}}
{"sample_index": 0, "id": "0", "subset": "general", "task": "add", "lang": "zh", "scores": {"A": 3, "B": 4}}
{"sample_index": 1, "id": "1", "subset": "general", "task": "add", "lang": "en", "scores": {"A": 3, "B": null}}
""",
    "grades.jsonl": """\
{"sample": "s", "model": "a", "judge": "j", "grade": 5}
{"sample": "s", "model": "a", "judge": "k", "grade": 5}
{"sample": "s", "model": "b", "judge": "j", "grade": 3}
{"sample": "s", "model": "b", "judge": "k", "grade": 3}
""",
    "judgments.jsonl": '{"sample": "s", "left": "a", "right": "b", "winner": "left", "judge": "j"}\n',
    "votes.jsonl": """\
{"sample": "s", "left": "a", "right": "b", "winner": "left", "rater": "r"}
{"sample": "s", "left": "a", "right": "b", "winner": "left", "rater": "q"}
""",
    "pairs.jsonl": '{"input": "exports/pictures/dog.png", "output": "exports/pictures/dog_winter.png"}\n',
    "replies.jsonl": '{"reply": "Grade: [[7]]", "dimensions": [{"name": "grade", "low": 1, "high": 10}]}\n',
}
"""Files that the commands read, by name."""
