"""Forests over arrays: from each post's parent to its root, its depth and a reading order, for millions of posts.

Nodes are numbers 0..n-1; `parent[i] == i` says that i has no parent. The order of the numbers is the order of ties, so
whoever numbers posts by content gets the same forest for any order of files. No recursion anywhere: a chain of any
length costs no more than a bush. It does not know posts, texts or files.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Engine = Literal["numba", "numpy"]

WORTH_COMPILING = 200_000
"""Nodes from which loading numba (0.4 s of CPU) costs less than it saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """A forest of n nodes in t trees. All arrays are int64."""

    parent: Indices
    """(n,) parents after cutting; itself for a root."""
    root: Indices
    """(n,) the root of each node."""
    depth: Indices
    """(n,) edges from the root."""
    order: Indices
    """(n,) the nodes tree by tree (in the order of their roots), in each tree by depth, then by number."""
    starts: Indices
    """(t + 1,) where each tree begins in `order`; the last entry is n."""
    cut: Indices
    """Nodes whose edge to their parent closed a cycle and was cut: the smallest number of each cycle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """Posts and placeholders by number, in ascending order of their ids. Arrays of length n."""

    ids: NDArray[np.uint64]
    parent: Indices
    row: Indices
    """Row of the input that a node came from; n_input where the node is a placeholder for a missing parent."""
    self_parents: Indices
    """Nodes that named themselves as parent."""


def link(parent: Indices, *, engine: Engine | None = None) -> Forest:
    """The forest of an array of parents (int64, n,), with every cycle cut at its smallest node.

    `engine` is numba where it is installed and worth its loading, else numpy; both give the same forest. Raises
    ValueError where a parent is not a node.
    """
    parent = np.ascontiguousarray(parent, dtype=np.int64).copy()
    n = len(parent)
    if n and (parent.min() < 0 or parent.max() >= n):
        raise ValueError("a parent is no node: entries must lie in 0..n-1")
    if engine is None:
        compiled = n >= WORTH_COMPILING and importlib.util.find_spec("numba") is not None
        engine = "numba" if compiled else "numpy"
    if engine == "numba":
        from groundswell.ingest import compiled_forest

        root, depth, cut, order, starts = compiled_forest.link(parent)
    else:
        cut = _cut_cycles(parent)
        root, depth = _climb(parent)
        order, starts = _arrange(root, depth)
    return Forest(parent=parent, root=root, depth=depth, order=order, starts=starts, cut=cut)


def number(ids: NDArray[np.uint64], parents: NDArray[np.uint64], has_parent: NDArray[np.bool_]) -> Numbered:
    """Give numbers to posts by ascending id, with a placeholder for every parent that is not among them.

    `ids` and `parents` (n,) are the platform's 64-bit ids; `parents` counts where `has_parent` is true. Where rows of
    one id name different parents, the smallest is taken. A post that names itself has no parent. Everything is looked
    up in sorted order: at 10 million posts a look-up in mixed order costs 25 times as much.
    """
    order = np.argsort(ids)
    known, run_of = _runs(ids[order])
    named = parents[has_parent]
    by_name = np.argsort(named)
    wanted, run_of_name = _runs(named[by_name])
    found = np.searchsorted(known, wanted)
    absent = known[np.minimum(found, len(known) - 1)] != wanted if len(known) else np.ones(len(wanted), bool)
    missing = wanted[absent]
    node_of_known = np.arange(len(known)) + np.searchsorted(missing, known)
    node_of_missing = np.arange(len(missing)) + np.searchsorted(known, missing)
    n = len(known) + len(missing)
    nodes = np.empty(n, np.uint64)
    nodes[node_of_known], nodes[node_of_missing] = known, missing
    row = np.full(n, len(ids), np.int64)
    np.minimum.at(row, node_of_known[run_of], order)
    node_of_wanted = np.empty(len(wanted), np.int64)
    node_of_wanted[absent], node_of_wanted[~absent] = node_of_missing, node_of_known[found[~absent]]
    node_of_row = np.empty(len(ids), np.int64)
    node_of_row[order] = node_of_known[run_of]
    child = node_of_row[has_parent]
    target = np.empty(len(named), np.int64)
    target[by_name] = node_of_wanted[run_of_name]
    itself = child == target
    parent = np.arange(n, dtype=np.int64)
    _point(parent, child[~itself], target[~itself], once=len(known) == len(ids))
    return Numbered(ids=nodes, parent=parent, row=row, self_parents=np.unique(child[itself]))


def _runs(ordered: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Indices]:
    """The distinct values of an ascending array, and for each of its entries which of them it is."""
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh], np.cumsum(fresh) - 1


def _point(parent: Indices, child: Indices, target: Indices, *, once: bool) -> None:
    """Set parents in place; where a child occurs more than once it gets its smallest target."""
    if once:
        parent[child] = target
        return
    smallest = np.full(len(parent), len(parent), np.int64)
    np.minimum.at(smallest, child, target)
    named = smallest < len(parent)
    parent[named] = smallest[named]


def _rounds(n: int) -> int:
    return max(n, 1).bit_length() + 1


def _cut_cycles(parent: Indices) -> Indices:
    """Cut, in place, the edge of the smallest node of every cycle; gives those nodes. Pointer jumping, O(n log n)."""
    n = len(parent)
    far = parent.copy()
    for _ in range(_rounds(n)):
        further = far[far]
        if np.array_equal(further, far):
            break
        far = further
    inside = np.zeros(n, bool)
    inside[far] = True  # after 2^k >= n steps everybody stands on a root or on a cycle, and every cycle is covered
    members = np.flatnonzero(inside & (parent != np.arange(n)))
    if not len(members):
        return members
    smallest, step = np.arange(n), parent.copy()
    for _ in range(_rounds(n)):
        smallest[members] = np.minimum(smallest[members], smallest[step[members]])
        step[members] = step[step[members]]
    cut: Indices = members[smallest[members] == members]
    parent[cut] = cut
    return cut


def _climb(parent: Indices) -> tuple[Indices, Indices]:
    """Root and depth of every node of a forest without cycles, by pointer jumping."""
    root = parent.copy()
    depth = (parent != np.arange(len(parent))).astype(np.int64)
    while True:
        further = root[root]
        if np.array_equal(further, root):
            return root, depth
        depth += depth[root]
        root = further


def _arrange(root: Indices, depth: Indices) -> tuple[Indices, Indices]:
    """Nodes by root, depth and number; and where each tree starts."""
    order = np.lexsort((depth, root)).astype(np.int64)
    along = root[order]
    starts = np.flatnonzero(np.r_[True, along[1:] != along[:-1]]) if len(along) else np.empty(0, np.int64)
    return order, np.append(starts, len(order)).astype(np.int64)
