"""Metrics whose networks run on GPUs ask a cluster for them, and only one that has some. No GPU is needed here: the
cluster says that it has two, and nobody looks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from groundswell.measure.alone import ObjectCount
from groundswell.measure.color import Color
from groundswell.measure.metric import GPU_SHARE
from groundswell.measure.stage import MeasureStage, Wanted
from groundswell.measure.structure import StructureDistance
from groundswell.perception.layout import dino
from groundswell.records import Done, Output, Sample, Unit, UnitState
from groundswell.work.ray import Abroad

SAMPLE = Sample(suite="s", task="edit", prompts={"en": "x"})
OUTPUT = Output(job="j", sample=SAMPLE.key, endpoint="e")


class Cluster:
    """Stands where Ray does, does the work at once and notes what was asked for."""

    class cloudpickle:
        dumps = staticmethod(lambda stage: stage)

    def __init__(self, gpus: float) -> None:
        self.gpus = gpus
        self.asked: list[float] = []

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0, "GPU": self.gpus} if self.gpus else {"CPU": 2.0}

    def remote(self, **_: object):
        return lambda function: self

    def options(self, *, num_gpus: float) -> Cluster:
        self.asked.append(num_gpus)
        return self

    def put(self, value: object) -> object:
        return value


class Working(Cluster):
    """The same, after the work was described."""

    def remote(self, *parts: object, **_: object):  # type: ignore[override]
        if not parts:
            return lambda function: self
        return asyncio.sleep(0, Done(state=UnitState.DONE, cost=0.0))


def asked(gpus: float) -> list[float]:
    metrics = [Color(), StructureDistance(), StructureDistance(dino(None, None)), ObjectCount()]
    cluster = Working(gpus)
    for metric in metrics:
        stage = MeasureStage([metric], lambda digest: b"")
        unit = Unit(key="k", payload=Wanted(sample=SAMPLE, output=OUTPUT, metric=metric.name))
        asyncio.run(Abroad(stage, cluster).do(unit))
    return cluster.asked


def test_networks_ask_a_cluster_that_has_gpus_for_their_share() -> None:
    assert asked(gpus=2.0) == [0.0, 0.0, GPU_SHARE, GPU_SHARE]


def test_a_cluster_without_gpus_is_asked_for_none() -> None:
    assert asked(gpus=0.0) == [0.0] * 4


@pytest.mark.filterwarnings("ignore")
def test_ray_gives_a_unit_the_share_that_was_asked_for(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="no Ray here: pip install 'groundswell[scale]'")
    if ray.is_initialized():
        pytest.skip("a cluster without GPUs is running in this process")
    ray.init(num_cpus=1, num_gpus=1, include_dashboard=False, configure_logging=False, log_to_driver=False)
    try:
        work = ray.remote(lambda: ray.get_runtime_context().get_assigned_resources())
        assert ray.get(work.options(num_gpus=GPU_SHARE).remote())["GPU"] == GPU_SHARE
    finally:
        ray.shutdown()
