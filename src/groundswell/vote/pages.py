"""The arena's pages from their templates, in the voter's language. What a page means is decided by who asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
import msgspec

HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("en", "zh")


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """What the pages say, by language and name."""
    decoded: dict[str, dict[str, str]] = msgspec.json.decode(files(__package__).joinpath("words.json").read_bytes())
    return decoded


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["static"] = _versions()
    return made


def _versions() -> dict[str, str]:
    """Addresses of the static files that change with their content, so that they may be kept for long."""
    from hashlib import sha256

    return {
        path.name: f"/static/{path.name}?{sha256(path.read_bytes()).hexdigest()[:8]}"
        for path in (HERE / "static").iterdir()
    }


def page(template: str, language: str, **context: Any) -> str:
    """A page as HTML; templates know the words of the language as `say`."""
    say = words()[language]
    return _environment().get_template(template).render(say=say, language=language, **context)


def language_of(chosen: str | None, accepted: str) -> str:
    """The language that a person chose, else the first of the browser's that we speak, else English."""
    if chosen in LANGUAGES:
        return chosen
    wanted = (part.split(";")[0].strip()[:2].lower() for part in accepted.split(","))
    return next((each for each in wanted if each in LANGUAGES), LANGUAGES[0])


def prompt_in(prompts: Mapping[str, str], language: str) -> tuple[str, str]:
    """The prompt and the language that it is in: the wanted one where there is one, else English, else the first."""
    for each in (language, "en"):
        if each in prompts:
            return each, prompts[each]
    return next(iter(prompts.items()))
