"""Boards: which comparisons count, and what they say of the models.

Flags and cohorts decide what counts; the mathematics is in `stats`. A board carries its method, its coverage and what
was left out. Where comparisons come from, and how a board is shown, is not known here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundswell.boards.agreement import agree as agree
    from groundswell.boards.agreement import agree_files as agree_files
    from groundswell.boards.arena import ArenaPlan as ArenaPlan
    from groundswell.boards.arena import arena_boards as arena_boards
    from groundswell.boards.arena import arena_fits as arena_fits
    from groundswell.boards.change import freshness as freshness
    from groundswell.boards.change import rises as rises
    from groundswell.boards.change import without_own as without_own
    from groundswell.boards.echo import score_echo as score_echo
    from groundswell.boards.echo import score_echo_file as score_echo_file
    from groundswell.boards.eligibility import Rules as Rules
    from groundswell.boards.eligibility import eligible as eligible
    from groundswell.boards.fused import fused_board as fused_board
    from groundswell.boards.making import board_from as board_from
    from groundswell.boards.making import rank_comparisons as rank_comparisons
    from groundswell.boards.options import Anchor as Anchor
    from groundswell.boards.options import RankOptions as RankOptions
    from groundswell.boards.options import parse_anchor as parse_anchor
    from groundswell.boards.ranking import rank_file as rank_file

_HOMES = {
    "Anchor": "options",
    "ArenaPlan": "arena",
    "RankOptions": "options",
    "Rules": "eligibility",
    "agree": "agreement",
    "agree_files": "agreement",
    "arena_boards": "arena",
    "arena_fits": "arena",
    "board_from": "making",
    "eligible": "eligibility",
    "freshness": "change",
    "fused_board": "fused",
    "parse_anchor": "options",
    "rank_comparisons": "making",
    "rank_file": "ranking",
    "rises": "change",
    "score_echo": "echo",
    "score_echo_file": "echo",
    "without_own": "change",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use, so that importing the room loads no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
