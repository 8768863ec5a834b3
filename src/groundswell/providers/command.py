"""An endpoint that is a program on this machine: one JSON line goes in, one comes out.

The program is started for each output. It reads

    {"task", "prompt", "seed", "model", "size", "settings", "inputs": [PATH, ...], "output": PATH}

and either writes its picture to `output` or says what came: {"picture": PATH} or {"base64": ...}, or {"text"}, or
{"refused": WHY}, or {"error": WHY, "transient": bool}; beside them it may say {"model", "rewritten_prompt", "cost"}.
Only the last line that it prints is read.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundswell.errors import UserError
from groundswell.providers.delivery import decoded
from groundswell.providers.failures import LONGEST_REASON, broken, declined
from groundswell.records import Answer, Broken, Declined, Endpoint, Json, Sample

SECONDS = 600.0
"""Longest run of the program where the endpoint's setting `seconds` says no other."""

OURS = frozenset({"command", "seconds"})


class Command:
    """`ports.LocalModel` of the host name `command`; the setting `command` is the program with its arguments."""

    name = "command"
    tasks: tuple[str, ...] = ("t2i", "edit", "chat")

    def __init__(self, endpoint: Endpoint, folder: Path) -> None:
        """`folder`: where the program runs. Raises UserError where the endpoint names no program."""
        program = endpoint.settings.get("command")
        words = shlex.split(program) if isinstance(program, str) else list(program or ())
        if not words:
            raise UserError(
                'an endpoint of host "command" needs settings = { command = "PROGRAM ..." }', where=endpoint.name
            )
        self._words = words
        self._model = endpoint.model
        self._seconds = float(endpoint.settings.get("seconds", SECONDS))
        self._settings = {name: value for name, value in endpoint.settings.items() if name not in OURS}
        self._folder = folder

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        """What the program made of a sample."""
        with tempfile.TemporaryDirectory() as place:
            paths = [Path(place) / f"input-{number}" for number in range(1, len(inputs) + 1)]
            for path, data in zip(paths, inputs, strict=True):
                path.write_bytes(data)
            output = Path(place) / "output"
            line = {
                "task": sample.task,
                "prompt": prompt,
                "seed": seed,
                "model": self._model,
                "size": sample.size,
                "settings": self._settings,
                "inputs": [str(path) for path in paths],
                "output": str(output),
            }
            said = self._run(line)
            return said if isinstance(said, Broken) else _understood(said, output)

    def _run(self, line: Json) -> Mapping[str, Any] | Broken:
        """The last line that the program printed."""
        try:
            ran = subprocess.run(
                self._words,
                input=msgspec.json.encode(line) + b"\n",
                capture_output=True,
                cwd=self._folder,
                timeout=self._seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Broken(what="timeout", reason=f"the program did not end in {self._seconds:g} s", transient=False)
        except OSError as error:
            return broken(f"the program could not be started: {error}", transient=False)
        if ran.returncode != 0:
            said = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            return broken(f"the program ended with {ran.returncode}: {said}", transient=False)
        last = ran.stdout.strip().rpartition(b"\n")[2]
        try:
            return msgspec.json.decode(last or b"{}", type=dict[str, Any])
        except msgspec.MsgspecError:
            shown = last[:LONGEST_REASON].decode("utf-8", "replace")
            return broken(f"the program's last line is no JSON object: {shown}", transient=False)


def _understood(said: Mapping[str, Any], output: Path) -> Answer | Declined | Broken:
    cost = said.get("cost")
    known = Answer(
        served_model=said.get("model"),
        rewritten_prompt=said.get("rewritten_prompt"),
        cost=float(cost) if isinstance(cost, int | float) else None,
    )
    if "refused" in said:
        return declined(str(said["refused"]))
    if "error" in said:
        return broken(str(said["error"]), transient=bool(said.get("transient")))
    if isinstance(text := said.get("text"), str):
        return msgspec.structs.replace(known, text=text)
    if isinstance(encoded := said.get("base64"), str):
        data = decoded(encoded)
        return _made(data, known) if data else broken("the program's base64 is damaged", transient=False)
    path = Path(said["picture"]) if isinstance(said.get("picture"), str) else output
    if not path.is_file():
        return broken("the program wrote no picture and said nothing of one", transient=False)
    return _made(path.read_bytes(), known)


def _made(data: bytes, known: Answer) -> Answer:
    return msgspec.structs.replace(known, pictures=(data,))
