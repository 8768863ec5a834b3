"""The documentation builds as a site with no link that leads nowhere, and its pages ask no other host for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
FETCHED = re.compile(r'<(?:script|img|iframe|source)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)"|url\(([^)]+)\)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(out)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def test_every_page_is_built_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {page.relative_to(REPOSITORY / "docs").with_suffix(".html") for page in REPOSITORY.glob("docs/**/*.md")}
    assert [page for page in pages if not (site / page).exists()] == []


def test_the_pages_ask_no_other_host_for_anything(site: Path) -> None:
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        asked = ["".join(found) for found in FETCHED.findall(page.read_text())]
        assert [url for url in asked if url.strip("'\"").startswith(("http:", "https:", "//"))] == [], page


def test_the_readme_leads_to_the_documentation() -> None:
    links = re.findall(r"\]\((docs/[^)#]+)", (REPOSITORY / "README.md").read_text())
    assert {"docs/tutorial.md", "docs/how-to/README.md", "docs/reference/README.md", "docs/method/README.md"} <= set(
        links
    )
    assert [link for link in links if not (REPOSITORY / link).exists()] == []
