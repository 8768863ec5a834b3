"""A suite's own scores of our models beside the tables that others published of it.

They were made by other judges on other days: a published row stands beside ours and is never mixed with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groundswell.publish import wording
from groundswell.publish.facts import Facts
from groundswell.publish.sidelights import Published, Scored
from groundswell.records import Board

PREFIX = "llava_bench_"
"""Stands before the categories of the in-the-wild set in some files and not in others."""

ALIKE = {"community": "echo"}
"""Suites whose published results stand under another name."""


def tables(facts: Facts, board: Board) -> list[dict[str, Any]]:
    """Tables for a board's suite: each published one with our scores on top; our scores alone where none is known."""
    beside = facts.snapshot.beside
    suite = board.name
    root = ALIKE.get(suite, suite.partition("-")[0])
    known = [table for table in beside.published if table.suite == root]
    scores = [score for score in beside.scores if score.suite == suite]
    if not known and scores:
        columns = list(dict.fromkeys(_plain(name) for score in scores for name in score.groups))
        known = [Published(suite=suite, title="", source="", columns=tuple(columns), rows={})]
    return [_table(facts, table, scores) for table in known]


def _table(facts: Facts, table: Published, scores: Sequence[Scored]) -> dict[str, Any]:
    ours = [_ours(facts, table, score) for score in scores]
    theirs = [
        {
            "name": name,
            "model": None,
            "ours": False,
            "source": "published",
            "cells": [{"value": value, "n": ""} for value in values],
        }
        for name, values in table.rows.items()
    ]
    return {
        "title": table.title,
        "source": wording.web_address(table.source),
        "note": table.note,
        "unit": scores[0].unit if scores else "",
        "columns": table.columns,
        "rows": [*ours, *theirs],
    }


def _ours(facts: Facts, table: Published, score: Scored) -> dict[str, Any]:
    groups, scored, wanted = (
        {_plain(name): value for name, value in told.items()} for told in (score.groups, score.scored, score.wanted)
    )
    return {
        "name": score.model,
        "model": facts.models.get(score.model),
        "ours": True,
        "source": f"here, judged by {score.judge}",
        "cells": [{"value": groups.get(name), "n": _coverage(name, scored, wanted)} for name in table.columns],
    }


def _coverage(name: str, scored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    return f"{scored[name]} of {wanted[name]} scored" if name in scored and name in wanted else ""


def _plain(name: str) -> str:
    return name.removeprefix(PREFIX)
