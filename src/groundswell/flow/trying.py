"""`endpoint test`: one output of one endpoint, and what works of everything that it takes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from groundswell.config import EndpointSettings
from groundswell.errors import GroundswellError, UserError
from groundswell.files import write_bytes
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace
from groundswell.generate.differing import differences
from groundswell.generate.prices import cost_after
from groundswell.generate.stage import Wanted
from groundswell.pictures import UnreadablePicture, describe, encode_png
from groundswell.records import Answer, Broken, Declined, Job, Picture, Sample, Task
from groundswell.wire.door import Wire

PROMPTS: dict[Task, str] = {
    "t2i": "a photograph of a red bicycle leaning against a white wall, in morning light",
    "edit": "make the picture gray",
    "chat": "Answer in one short sentence: what colour is a ripe lemon?",
}

NEEDED = frozenset({"configuration", "answer", "picture", "text"})
"""Steps without which an endpoint does not work; the others are worth knowing."""


def try_endpoint(space: Workspace, name: str, save: Path | None = None) -> dict[str, Any]:
    """Make one output. Gives `{endpoint, ok, steps[{what, ok, detail}], ...what came}`; `save`: a file for the picture.

    Raises UserError when no endpoint has this name.
    """
    settings = next((each for each in space.config.file.endpoint if each.name == name), None)
    if settings is None:
        known = ", ".join(each.name for each in space.config.file.endpoint) or "none"
        raise UserError(f"there is no [[endpoint]] named {name}; these are: {known}", where=space.config.path)
    steps: list[dict[str, Any]] = []
    data: dict[str, Any] = {"endpoint": name, "steps": steps}
    try:
        wanted, came, seconds, price = asyncio.run(_ask(space, settings))
    except GroundswellError as error:
        steps.append(_step("configuration", False, str(error)))
        return {**data, "ok": False}
    steps.append(_step("configuration", True, f"{settings.host}, {settings.model}"))
    asked = space.settings_of(settings)
    steps.append(_step("settings", True, _said_of(asked)))
    data |= {"task": wanted.sample.task, "seconds": seconds, "settings": asked["settings"], "source": asked["source"]}
    if not isinstance(came, Answer):
        kind = "refused" if isinstance(came, Declined) else came.what
        steps.append(_step("answer", False, f"{kind}: {came.reason}"))
        return {**data, "ok": False}
    steps.append(_step("answer", True, f"in {seconds:.2f} s"))
    if save is not None and came.pictures:
        write_bytes(save, came.pictures[0])
    data |= _what_came(wanted, came, price, steps)
    return {**data, "ok": all(step["ok"] for step in steps if step["what"] in NEEDED)}


async def _ask(
    space: Workspace, settings: EndpointSettings
) -> tuple[Wanted, Answer | Declined | Broken, float, float | None]:
    task: Task = next((task for task in ("t2i", "edit", "chat") if task in settings.tasks), "t2i")
    async with Wire(space.blobs.get) as wire:
        crew = Crew(space, wire)
        endpoint = next(each for each in crew.endpoints if each.name == settings.name)
        inputs = (space.keep(_test_picture()),) if task == "edit" else ()
        sample = Sample(suite="test", task=task, prompts={"en": PROMPTS[task]}, inputs=inputs)
        job = Job(sample=sample.key, endpoint=endpoint.key)
        wanted = Wanted(job=job, sample=sample, endpoint=endpoint, prompt=PROMPTS[task], language="en")
        makers = crew.makers(only=settings.name)
        before = perf_counter()
        came = await makers(wanted)
        return wanted, came, perf_counter() - before, makers.price(wanted)


def _what_came(wanted: Wanted, came: Answer, price: float | None, steps: list[dict[str, Any]]) -> dict[str, Any]:
    pictures: list[Picture] = []
    if wanted.sample.task == "chat":
        steps.append(_step("text", bool(came.text), (came.text or "it is empty")[:200]))
    elif not came.pictures:
        steps.append(_step("picture", False, "the answer has none"))
    else:
        try:
            pictures.append(describe(came.pictures[0]))
            steps.append(_step("picture", True, f"{pictures[0].width}x{pictures[0].height} {pictures[0].media_type}"))
        except UnreadablePicture as error:
            steps.append(_step("picture", False, str(error)))
    differs = differences(wanted.endpoint, wanted.sample, pictures, came)
    steps += [_step("as asked", False, text) for text in differs]
    said = "unknown; state price_per_image in groundswell.toml" if price is None else f"{price:g} USD expected"
    steps.append(_step("price", price is not None, said))
    return {
        "size": [pictures[0].width, pictures[0].height] if pictures else None,
        "media_type": pictures[0].media_type if pictures else None,
        "served_model": came.served_model,
        "rewritten_prompt": came.rewritten_prompt,
        "observed": came.observed,
        "cost": cost_after(came, wanted.endpoint, price),
    }


def _said_of(asked: dict[str, Any]) -> str:
    """Settings and whose word they are, in one line."""
    if asked["source"] is None:
        return "none are stated and none are known; the host decides"
    date = "" if asked["date"] is None else f", {asked['date']}"
    return f"{msgspec.json.encode(asked['settings']).decode()} ({asked['source']}{date})"


def _step(what: str, ok: bool, detail: str) -> dict[str, Any]:
    return {"what": what, "ok": ok, "detail": detail}


def _test_picture() -> bytes:
    """256 x 256: a colour wheel of sorts, so that an edit shows."""
    import numpy as np

    ramp = np.arange(256, dtype=np.uint8)
    across, down = np.meshgrid(ramp, ramp)
    return encode_png(np.dstack([across, down, 255 - across]))
