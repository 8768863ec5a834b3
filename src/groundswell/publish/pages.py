"""Pages from templates: everything that is printed is cleaned and escaped unless it is markup that we made.

A page names other files relative to itself, so that the site works from a disk and under any prefix. It does not know
what stands on a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jinja2

from groundswell.publish import figures, model_view, wording
from groundswell.publish.facts import Facts, Model

HERE: Final = Path(__file__).parent

TITLE: Final = "Groundswell"


def _harmless(value: object) -> object:
    """Invisible controls in anybody's text are written out; our own markup passes."""
    return wording.clean(value) if type(value) is str else value


def environment() -> jinja2.Environment:
    """Templates of this room, with escaping on and undefined names an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter_ in (
        wording.number,
        wording.short,
        wording.percent,
        wording.seconds,
        wording.dollars,
        wording.words,
        wording.one_line,
        wording.slug,
        wording.web_address,
        wording.plural,
        wording.signed,
        wording.clean,
    ):
        made.filters[filter_.__name__] = filter_
    made.globals["metric_page"] = _metric_page
    made.globals["mark"] = lambda model: figures.mark(model.colour, model.shape, hollow=model.baseline)
    made.globals["dash"] = wording.NONE
    return made


def _metric_page(column: Mapping[str, Any], model: Model) -> str:
    """The page that follows a model's mean in a column of metrics home."""
    return model_view.metric_page(column["metric"], column["backend"], column["version"], model)


class Pages:
    """Writes the pages of one site below a folder."""

    def __init__(self, facts: Facts, out: Path, menu: Sequence[tuple[str, str]]) -> None:
        self._environment = environment()
        self._environment.globals |= {
            "models": facts.models,
            "shown": facts.snapshot.shown,
            "menu": menu,
            "as_of": facts.snapshot.as_of,
            "simulated": facts.simulated,
            "voters": facts.voters,
            "site_title": TITLE,
        }
        self._out = out

    def write(self, path: str, template: str, **context: Any) -> None:
        """Render a template to `path`; it is told its `root` (the way back to the top) and `here`."""
        page = self._environment.get_template(template).render(root="../" * path.count("/"), here=path, **context)
        target = self._out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
