"""A suite's own scores count what they wanted, and not only what came."""

from __future__ import annotations

from pathlib import Path

from groundswell.editions.importing import edition_of, endpoint_of
from groundswell.files import write_text
from groundswell.flow.scores import suite_scores
from groundswell.flow.workspace import workspace
from groundswell.records import Dimension, Job, Judgment, Output, Rubric, Sample

RUBRIC = Rubric(name="cpi-add", text="Score it.", dimensions=(Dimension(name="A", low=1.0, high=5.0),))


def sample(number: int) -> Sample:
    tags = {"subset": "general", "sample_index": number, "task": "add"}
    return Sample(suite="cpi-general", task="edit", prompts={"en": f"Add {number}"}, label=str(number), tags=tags)


def test_a_sample_for_which_a_model_made_nothing_is_wanted_all_the_same(tmp_path: Path) -> None:
    samples, endpoint = [sample(0), sample(1)], endpoint_of("mine")
    job = Job(sample=samples[0].key, endpoint=endpoint.key)
    output = Output(job=job.key, sample=job.sample, endpoint=job.endpoint, text="a picture", language="en")
    verdict = Judgment(
        outputs=(output.key,), judge="j", rubric=RUBRIC.key, sample=samples[0].key, reply="A: 4", scores={"A": 4.0}
    )
    write_text(tmp_path / "groundswell.toml", "[budget]\n")
    with workspace(tmp_path) as space:
        space.store.put([*samples, edition_of(samples, "cpi-general", "e"), endpoint, output, RUBRIC, verdict])
        whole = suite_scores(space, "cpi-general")["models"]["mine"]["j"]["groups"][0]
    assert (whole["name"], whole["mean"], whole["scored"], whole["wanted"]) == ("all", 4.0, 1, 2)
    assert (whole["worst"], whole["best"]) == (2.5, 4.5)
