"""Parts are found by name and loaded only when they are asked for."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from groundswell import plugins
from groundswell.errors import PluginError, UserError


@pytest.fixture
def installed(request):
    """Entry points of a seam of its own, as if a package had brought them."""
    points = (
        EntryPoint("good", "groundswell.records:Post", "groundswell.source"),
        EntryPoint("broken", "groundswell.no_such_module:Thing", "groundswell.source"),
        EntryPoint("twice", "groundswell.records:Post", "groundswell.source"),
        EntryPoint("twice", "groundswell.records:Vote", "groundswell.source"),
    )
    original = plugins._points
    plugins._points = lambda seam: points if seam == "source" else original(seam)
    plugins._load.cache_clear()
    yield
    plugins._points = original
    plugins._load.cache_clear()


def test_built_in_parts_register_like_plugins() -> None:
    assert "openai" in plugins.names("provider")
    assert plugins.load("pool", "local").__name__ == "LocalPool"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"there is no provider named opnai; did you mean openai\?"):
        plugins.load("provider", "opnai")


@pytest.mark.usefixtures("installed")
def test_a_part_that_fails_to_load_fails_only_for_those_who_ask_for_it() -> None:
    assert plugins.load("source", "good").__name__ == "Post"
    for _ in range(2):
        with pytest.raises(PluginError, match=r"the source broken .* failed to load: ModuleNotFoundError"):
            plugins.load("source", "broken")
    assert "broken" in plugins.names("source")


@pytest.mark.usefixtures("installed")
def test_a_name_that_two_packages_offer_is_nobodys() -> None:
    with pytest.raises(PluginError, match="several packages"):
        plugins.load("source", "twice")
