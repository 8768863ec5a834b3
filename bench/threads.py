"""Threads from posts, side by side: arrays with numba, arrays with numpy, records, dictionaries, networkx, duckdb.

Every contender runs in a process of its own, gets the same posts and must find the same roots. CPU seconds and the
growth of the resident set over what the parsed posts take are printed as a Markdown table. Loading a package is not
timed; compiling is not either, since numba keeps the compiled code on disk (the very first run takes seconds more).

    python bench/threads.py [--posts 1000000] [--contender NAME]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime

import numpy as np

MISSING = 0.03
FIRST_ID = 700_000_000_000_000_000


def posts(n: int):
    """64-bit ids in mixed order, parents among earlier posts; three in ten start a thread, some parents are missing."""
    rng = np.random.default_rng(42)
    ids = FIRST_ID + np.cumsum(rng.integers(1, 1 << 36, n)).astype(np.uint64)
    reach = rng.geometric(1 / 500, n)
    at = np.arange(n)
    parents = ids[np.maximum(at - reach, 0)]
    parents[rng.random(n) < MISSING] += np.uint64(1)
    has_parent = (rng.random(n) > 0.3) & (at > 0)
    mix = rng.permutation(n)
    return ids[mix], parents[mix], has_parent[mix]


def arrays(engine):
    from groundswell.ingest.forest import link, number

    link(np.arange(3), engine=engine)

    def run(ids, parents, has_parent):
        numbered = number(ids, parents, has_parent)
        forest = link(numbered.parent, engine=engine)
        return len(forest.starts) - 1, int(forest.depth.max())

    return run, lambda *given: given


def records(_):
    import polars  # noqa: F401  loading a package is not timed

    from groundswell.ingest.forest import link
    from groundswell.ingest.threads import weave
    from groundswell.records import Post

    def prepare(ids, parents, has_parent):
        def post(id, up, has):
            time = datetime.fromtimestamp(((id >> 22) + 1_288_834_974_657) / 1000, UTC)  # X's ids tell the time
            address = f"https://x.com/i/status/{id}"
            return Post(platform="x", id=str(id), url=address, time=time, reply_to=str(up) if has else None)

        return (list(map(post, ids.tolist(), parents.tolist(), has_parent.tolist())),)

    link(np.arange(3), engine="numba")

    def run(given):
        forest = weave(given).forest
        return len(forest.starts) - 1, int(forest.depth.max())

    return run, prepare


def dictionaries(_):
    """Children by parent, then each tree from its root; the way it is usually written."""

    def run(ids, parents, has_parent):
        below, known = {}, set(ids.tolist())
        roots = []
        for id, up, has in zip(ids.tolist(), parents.tolist(), has_parent.tolist(), strict=True):
            if not has:
                roots.append(id)
                continue
            if up not in known:
                known.add(up)
                roots.append(up)
            below.setdefault(up, []).append(id)
        deepest = 0
        for root in roots:
            level, depth = [root], 0
            while level := [child for node in level for child in sorted(below.get(node, ()))]:
                depth += 1
            deepest = max(deepest, depth)
        return len(roots), deepest

    return run, lambda *given: given


def networkx(_):
    import networkx

    def run(ids, parents, has_parent):
        graph = networkx.DiGraph()
        graph.add_nodes_from(ids.tolist())
        graph.add_edges_from(zip(parents[has_parent].tolist(), ids[has_parent].tolist(), strict=True))
        roots = [node for node, degree in graph.in_degree() if degree == 0]
        depths = [max(networkx.single_source_shortest_path_length(graph, root).values()) for root in roots]
        return len(roots), max(depths)

    return run, lambda *given: given


def duckdb(_):
    import duckdb
    import pyarrow

    def run(ids, parents, has_parent):
        given = pyarrow.table({"id": ids, "up": np.where(has_parent, parents, 0)})
        con = duckdb.connect(config={"threads": 1})
        con.register("given", given)
        return con.execute(
            """with recursive nodes as (
                 select id, up from given union all
                 select distinct up, 0::ubigint from given where up <> 0 and up not in (select id from given)),
               tree as (
                 select id, id as root, 0 as depth from nodes where up = 0 union all
                 select nodes.id, tree.root, tree.depth + 1 from nodes join tree on nodes.up = tree.id)
               select count(distinct root), max(depth) from tree"""
        ).fetchone()

    return run, lambda *given: given


CONTENDERS = {
    "groundswell, arrays, numba": ("numba", arrays),
    "groundswell, arrays, numpy": ("numpy", arrays),
    "groundswell, records in, arrays out": (None, records),
    "dictionaries": (None, dictionaries),
    "networkx": ("networkx", networkx),
    "duckdb, recursive SQL, one thread": ("duckdb", duckdb),
}


def measure(name: str, n: int) -> dict:
    engine, contender = CONTENDERS[name]
    run, prepare = contender(engine)
    given = prepare(*posts(n))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, wall = time.process_time(), time.perf_counter()
    trees, deepest = run(*given)
    cpu, wall = time.process_time() - began, time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"cpu": cpu, "wall": wall, "peak": after / 1024, "grown": (after - before) / 1024, "found": [trees, deepest]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--posts", type=int, default=1_000_000)
    parser.add_argument("--contender", action="append", choices=list(CONTENDERS))
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        print(json.dumps(measure(asked.contender[0], asked.posts)))
        return
    print(
        f"| {asked.posts:,} posts | CPU s | wall s | grown MB | peak MB | threads, deepest |\n|---|---|---|---|---|---|"
    )
    for name in asked.contender or CONTENDERS:
        package = CONTENDERS[name][0]
        if package and importlib.util.find_spec(package) is None:
            print(f"| {name} | not installed | | | | |")
            continue
        call = [sys.executable, __file__, "--here", "--posts", str(asked.posts), "--contender", name]
        row = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
        print(
            f"| {name} | {row['cpu']:.2f} | {row['wall']:.2f} | {row['grown']:.0f} | {row['peak']:.0f} "
            f"| {row['found'][0]:,}, {row['found'][1]} |"
        )


if __name__ == "__main__":
    main()
