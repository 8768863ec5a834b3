"""Who answers while a page is run: hosts that draw and judge on loopback, and what happens beside the terminal.

The pages show the lines of real hosts. Their addresses are turned to these here; nothing else of a page is changed.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from groundswell.testing.acts import Act, Seen, picture

QUALITY = {"gpt-image": 7, "gemini": 8, "FLUX": 5}
"""How good a model is by the start of its name, 1 to 10: the stand-in judges see this, and a little noise."""

SLOWNESS = {"gpt-image": 0.3, "gemini": 0.15, "FLUX": 0.02}
"""Seconds that a picture takes, so that the order of a speed board does not hang on the noise of loopback."""

REFUSED = "burglar"
"""A prompt with this word is refused by the stand-in of Gemini, as such hosts do."""

SCORED = re.compile(r"^([A-Z][A-Za-z ]+): <score>", re.MULTILINE)
"""How a rubric of CPI-Bench names the dimensions that it wants."""

ADDRESSED = re.compile(r'^host = "(openai|together|gemini|anthropic)"', re.MULTILINE)


class Studio:
    """A script for the scripted host: draws one plain picture for every prompt, and grades the pictures it drew."""

    def __init__(self) -> None:
        self._drawn: dict[str, str] = {}
        """The picture in base64 -> the model that drew it."""

    def __call__(self, seen: Seen) -> Act:
        if seen.method != "POST":
            return Act(body="{}")
        host, asked = seen.path.split("/")[1], seen.json()
        if host == "anthropic":
            return _reply(_message(asked, self._grade(seen)))
        if host == "gemini":
            return _reply(self._gemini(seen), SLOWNESS["gemini"])
        if seen.path.endswith("/chat/completions"):
            return Act(text=self._grade(seen))
        drawn = {"b64_json": self._draw(asked["model"], asked["prompt"])}
        return _reply({"created": 0, "data": [drawn]}, _of(SLOWNESS, asked["model"]))

    def _draw(self, model: str, prompt: str) -> str:
        drawn = base64.b64encode(picture(f"{model} {prompt}", side=1024)).decode()
        self._drawn[drawn] = model
        return drawn

    def _gemini(self, seen: Seen) -> dict[str, Any]:
        model = seen.path.rpartition("/")[2].partition(":")[0]
        text = seen.json()["contents"][0]["parts"][-1]["text"]
        if "image" not in model:
            return _candidate([{"text": self._grade(seen)}], model)
        if REFUSED in text:
            return _candidate([], model, finish="IMAGE_SAFETY")
        drawn = {"mimeType": "image/png", "data": self._draw(model, text)}
        return _candidate([{"inlineData": drawn}], model)

    def _grade(self, seen: Seen) -> str:
        body = seen.body.decode()
        model = next((model for drawn, model in self._drawn.items() if drawn in body), "")
        quality = int(_of(QUALITY, model) or 5)
        noise = int(sha256(seen.body).hexdigest(), 16) % 5 - 2
        if asked := SCORED.findall(body.replace("\\n", "\n")):
            grades = (f"{name}: {min(5, max(1, 3 + (noise + place) % 3))}" for place, name in enumerate(asked))
            return "\n".join(["The change is there, its edges are soft.", *grades])
        return f"1. It is all there. 2. Nothing was given to keep. 3. It looks right. Grade: [[{quality + noise}]]"


def _of(table: Mapping[str, float], model: str) -> float:
    """What a table says of a model, by the start of its name; 0 where it says nothing."""
    name = model.rpartition("/")[2]
    return next((value for start, value in table.items() if name.startswith(start)), 0)


def _reply(body: Mapping[str, Any], latency: float = 0.0) -> Act:
    return Act(body=msgspec.json.encode(body).decode(), latency=latency)


def _message(asked: Mapping[str, Any], text: str) -> dict[str, Any]:
    usage = {"input_tokens": 1000, "output_tokens": 60}
    content = [{"type": "text", "text": text}]
    return {"model": asked["model"], "content": content, "stop_reason": "end_turn", "usage": usage}


def _candidate(parts: list[dict[str, Any]], model: str, finish: str = "STOP") -> dict[str, Any]:
    return {
        "candidates": [{"content": {"parts": parts}, "finishReason": finish}],
        "modelVersion": model,
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 60},
    }


def addressed(text: str, origin: str) -> str:
    """A workspace file whose hosts are those of this machine."""
    return ADDRESSED.sub(lambda match: f'{match.group()}\nbase_url = "{origin}/{match[1]}/v1"', text)
