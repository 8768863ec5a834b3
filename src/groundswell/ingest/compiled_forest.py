"""The same forests as `forest`, compiled by numba: one pass that climbs each path once, and two counting sorts.

Imported only where numba is installed (the extra `speed`).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def link(parent: Indices) -> tuple[Indices, Indices, Indices, Indices, Indices]:
    """Root, depth, cut nodes, order and starts of an array of parents, in which cycles are cut in place."""
    root, depth, cut = _climb(parent)
    order, starts = _arrange(root, depth)
    return root, depth, np.sort(cut), order, starts


@njit(cache=True)
def _climb(parent):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Follow each path up to what is known, then walk it back down. A path that meets itself holds a cycle."""
    n = len(parent)
    root = np.full(n, n, np.int64)  # n: not visited; n + 1: on the path under way
    depth = np.zeros(n, np.int64)
    path = np.empty(n, np.int64)
    cut = np.empty(n, np.int64)
    cuts = 0
    for start in range(n):
        if root[start] != n:
            continue
        length = 0
        node = start
        while root[node] == n and parent[node] != node:
            root[node] = n + 1
            path[length] = node
            length += 1
            node = parent[node]
        if root[node] == n + 1:
            smallest = node
            around = parent[node]
            while around != node:
                smallest = min(smallest, around)
                around = parent[around]
            parent[smallest] = smallest
            cut[cuts] = smallest
            cuts += 1
            for place in range(length):
                root[path[place]] = n
            # the path is walked again, now that it ends
            length = 0
            node = start
            while root[node] == n and parent[node] != node:
                path[length] = node
                length += 1
                node = parent[node]
        if parent[node] == node:
            root[node] = node
        top, deep = root[node], depth[node]
        for place in range(length - 1, -1, -1):
            deep += 1
            root[path[place]] = top
            depth[path[place]] = deep
    return root, depth, cut[:cuts].copy()


@njit(cache=True)
def _arrange(root, depth):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Stable counting sorts by depth, then by root."""
    n = len(root)
    deepest = 0
    for node in range(n):
        deepest = max(deepest, depth[node])
    place = np.zeros(deepest + 2, np.int64)
    for node in range(n):
        place[depth[node] + 1] += 1
    for level in range(deepest + 1):
        place[level + 1] += place[level]
    by_depth = np.empty(n, np.int64)
    for node in range(n):
        by_depth[place[depth[node]]] = node
        place[depth[node]] += 1
    spot = np.zeros(n + 1, np.int64)
    trees = 0
    for node in range(n):
        spot[root[node] + 1] += 1
        trees += root[node] == node
    starts = np.empty(trees + 1, np.int64)
    tree = 0
    for node in range(n):
        if spot[node + 1] > 0:
            starts[tree] = spot[node]
            tree += 1
        spot[node + 1] += spot[node]
    starts[trees] = n
    order = np.empty(n, np.int64)
    for position in range(n):
        node = by_depth[position]
        order[spot[root[node]]] = node
        spot[root[node]] += 1
    return order, starts
