"""The short version of `make fuzz`: damaged input brings no parser down, and what was found once stays mended."""

from pathlib import Path

import pytest
from fuzz.__main__ import fuzz, outcome
from fuzz.shrinking import smallest
from fuzz.targets import TARGETS

INPUTS = 6_000
"""In all; `make fuzz` gives a million."""

FOUND_ONCE = [
    ("settings", b'name = "a' + b"[" * 3000),
    ("settings", b"a = " + b"[" * 5000),
    ("votes", b"left,rileft,rilef\xc0,right,winner\na,b,left\n\\b,c,tie\nc,a,both_\n"),
    ("rules", b'{"":"ns:1-1"}'),
    ("rubrics", b"+++\ne=" + b"[" * 500 + b"\n+++"),
]
"""Inputs that brought a parser down before it was mended."""


@pytest.mark.parametrize("name", TARGETS)
def test_damaged(name: str) -> None:
    found = fuzz(name, round(INPUTS * TARGETS[name].share), seed=11)
    assert found.kinds == {}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_damaged_was_good(name: str, tmp_path: Path) -> None:
    assert all(outcome(name, tmp_path, seed) is True for seed in TARGETS[name].seeds)


@pytest.mark.parametrize(("name", "data"), FOUND_ONCE)
def test_what_was_found_once_is_not_found_again(name: str, data: bytes, tmp_path: Path) -> None:
    assert isinstance(outcome(name, tmp_path, data), bool)


def test_the_shares_of_the_targets_make_a_whole() -> None:
    assert sum(target.share for target in TARGETS.values()) == pytest.approx(1)


def test_a_failing_input_is_cut_down_to_what_it_fails_by() -> None:
    assert smallest(b"left,right\n" * 40 + b"a(b" + b"x" * 500, lambda data: b"(b" in data) == b"(b"


def test_votes_in_parquet_with_one_wrong_byte_are_read_or_told_to_be_damaged(tmp_path: Path) -> None:
    whole = next(seed for seed in TARGETS["votes"].seeds if seed.startswith(b"PAR1"))
    for place in range(4, len(whole), 3):
        damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        assert isinstance(found := outcome("votes", tmp_path, damaged), bool), (place, found)
