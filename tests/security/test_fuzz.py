"""The short version of `make fuzz`: damaged posts, replies, votes and workspace files bring no parser down."""

import pytest
from fuzz.__main__ import fuzz
from fuzz.targets import TARGETS, holds

INPUTS = {"replies": 700, "settings": 700, "posts": 400, "votes": 150}

FOUND_ONCE = [
    ("settings", b'name = "a' + b"[" * 3000),
    ("settings", b"a = " + b"[" * 5000),
    ("votes", b"left,rileft,rilef\xc0,right,winner\na,b,left\n\\b,c,tie\nc,a,both_\n"),
]
"""Inputs that brought a parser down before it was mended."""


@pytest.mark.parametrize("name", TARGETS)
def test_damaged(name: str) -> None:
    assert fuzz(name, INPUTS[name], seed=11) == 0


@pytest.mark.parametrize(("name", "data"), FOUND_ONCE)
def test_what_was_found_once_is_not_found_again(name: str, data: bytes, tmp_path) -> None:
    holds(name, data, tmp_path)
