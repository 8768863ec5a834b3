"""One Ray cluster for all tests of this room."""

from __future__ import annotations

import warnings

import pytest


@pytest.fixture(scope="session")
def cluster():
    """A Ray cluster of this machine's own, for this test run."""
    ray = pytest.importorskip("ray", reason="no Ray here: pip install 'groundswell[scale]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, log_to_driver=False)
    yield ray
    ray.shutdown()
