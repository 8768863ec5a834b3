"""What we depend on is pinned and free; a known vulnerability is a fault; an audit that was not made claims nothing."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from audit.__main__ import CONSTRAINTS, vulnerabilities
from audit.installed import BOUND, FREE, licence, name_of, needed, unfit, unpinned


def test_everything_we_need_has_a_licence_that_binds_nobody() -> None:
    assert unfit(needed()) == []


def test_everything_we_need_is_pinned_to_what_is_here() -> None:
    assert unpinned(needed(), CONSTRAINTS.read_text().splitlines()) == []


def test_a_distribution_that_nobody_pinned_is_named() -> None:
    found = {"click": metadata.distribution("click")}
    version = found["click"].version
    assert unpinned(found, [f"Click=={version}"]) == []
    assert unpinned(found, ["click==0.1"]) == [f"click: {version} is here, 0.1 is pinned"]
    assert unpinned(found, []) == [f"click: {version} is here, nothing is pinned"]


def test_licences_that_bind_are_told_from_free_ones() -> None:
    for free in ("MIT", "BSD-3-Clause", "Apache-2.0 OR MIT", "LGPL-3.0-only", "ISC License (ISCL)"):
        assert FREE.search(free)
        assert not BOUND.search(free)
    for bound in ("GPL-3.0-or-later", "AGPL-3.0", "CC-BY-NC-4.0", "SSPL-1.0", "Proprietary"):
        assert BOUND.search(bound)
    assert licence(metadata.distribution("msgspec"))
    assert name_of("Foo_Bar.baz") == "foo-bar-baz"


def answer(*vulns: str) -> dict:
    known = [{"id": each, "fix_versions": ["2.0"]} for each in vulns]
    return {"dependencies": [{"name": "click", "version": "1.0", "vulns": known}]}


def test_a_known_vulnerability_is_a_fault() -> None:
    assert vulnerabilities(["click==1.0"], lambda pins: answer()) == []
    assert vulnerabilities(["click==1.0"], lambda pins: answer("CVE-1")) == [
        "vulnerability of click 1.0: CVE-1 (fixed in 2.0)"
    ]


def test_an_audit_that_nobody_answers_claims_nothing() -> None:
    skipped = {"dependencies": [{"name": "click", "version": "1.0", "skip_reason": "not found"}]}
    assert vulnerabilities(["click==1.0"], lambda pins: None) is None
    assert vulnerabilities(["click==1.0"], lambda pins: skipped) is None


def test_the_audit_is_a_part_of_lint() -> None:
    lint = (Path(CONSTRAINTS).parent / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    assert "-m audit" in lint
    assert "deptry" in lint
