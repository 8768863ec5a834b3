"""Every store and every blobs does what the suite that we ship asks."""

import pytest

from groundswell.testing import conformance


@pytest.mark.parametrize("check", conformance.STORE, ids=lambda check: check.__name__)
def test_a(check, open_it) -> None:
    check(open_it)


@pytest.mark.parametrize("check", conformance.BLOBS, ids=lambda check: check.__name__)
def test_that(check, blobs) -> None:
    check(blobs)
