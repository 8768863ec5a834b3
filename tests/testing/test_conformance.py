"""The parts that come with Groundswell do what the suite asks that we ship for plugins."""

import pytest

from groundswell import plugins
from groundswell.records import Endpoint, Request
from groundswell.testing import conformance
from groundswell.testing.host import picture

PROVIDERS = ("anthropic", "bfl", "fal", "gemini", "openai", "replicate", "stability", "together")
METRICS = ("aspect", "background", "color", "near_copy", "resolution")


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("check", conformance.PROVIDER, ids=lambda check: check.__name__)
def test_a(check, name: str) -> None:
    want = "text" if name in ("anthropic", "openai") else "picture"
    endpoint = Endpoint(name="e", host=name, model="m", base_url="https://host.example/v1")
    check(plugins.load("provider", name)(), endpoint, Request(model="m", want=want, parts=("a red fox",)))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("check", conformance.METRIC, ids=lambda check: check.__name__)
def test_that(check, name: str) -> None:
    check(plugins.load("metric", name)(), picture("fox"))
