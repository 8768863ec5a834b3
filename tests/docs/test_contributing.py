"""The parts that the contributing pages write out are whole, and pass the checks that the pages name."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from groundswell.curate.conversation import Conversation
from groundswell.curate.questions import Relevance

PAGES = Path(__file__).parents[2] / "docs" / "contributing"
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONGEST_PAGE = 80
"""Lines: one page in print."""


def written(page: str) -> dict:
    """What the code of a page leaves, run block after block."""
    names: dict = {}
    for code in CODE.findall((PAGES / f"{page}.md").read_text()):
        exec(compile(code, page, "exec"), names)
    return names


@pytest.mark.parametrize("page", ["provider", "metric", "reader"])
def test_the_code_of_a_page_runs_and_its_part_passes_the_checks(page: str) -> None:
    assert written(page)


def test_the_reader_of_the_page_answers_in_the_form_of_the_question() -> None:
    msgspec.convert(written("reader")["answer"], Relevance)
    assert "posts" in Conversation.__struct_fields__


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_how_to_add_something_fits_on_a_page(page: Path) -> None:
    assert len(page.read_text().splitlines()) <= LONGEST_PAGE
