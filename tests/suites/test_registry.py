"""Suites by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from groundswell import plugins
from groundswell.suites import photographs, registry


@pytest.fixture
def installed():
    """A suite as if a package had brought it."""
    point = EntryPoint("holiday", "groundswell.suites.photographs:Photographs", "groundswell.suite")
    original = plugins._points
    plugins._points = lambda seam: (point,) if seam == "suite" else original(seam)
    yield
    plugins._points = original
    plugins._load.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_suite_of_a_plugin_is_read_by_its_name(shelf) -> None:
    assert registry.names()[-1] == "holiday"
    ours = list(registry.load("photographs", "", shelf.keep))
    assert list(registry.load("holiday", photographs.folder(), shelf.keep)) == ours
