"""The site: how long a snapshot of a whole edition takes to draw, what its pages weigh, when a reader sees the first.

python -m bench.site [--samples 1000] [--models 12] [--keep DIR]
"""

from __future__ import annotations

import argparse
import gzip
import http.server
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.made_edition import made
from groundswell.publish import site, snapshot

SECONDS, HEAVIEST, PAINT = 60.0, 500_000, 1.0
"""Targets: of building (CPU: the clock of a shared machine tells of its other users), bytes of a page before its
pictures, seconds to the first paint on loopback."""


VISITS = 3
"""To each page; the best counts, because the others tell of what else the machine does."""

ASK = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def paint(folder: Path, paths: Sequence[str]) -> dict[str, float]:
    """Seconds from the request to the first paint of each page, the best of VISITS, over loopback in a browser; empty
    without one."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {}
    handler = partial(_Quiet, directory=str(folder))
    server = _Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = {}
    chromium = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(f"http://127.0.0.1:{server.server_port}/index.html")  # pays for the browser's start
        for path in paths:
            visits = []
            for _ in range(VISITS):
                page.goto(f"http://127.0.0.1:{server.server_port}/{path}", wait_until="load")
                while (painted := page.evaluate(ASK)) is None:
                    time.sleep(0.02)
                visits.append(float(painted) / 1000)
            found[path] = min(visits)
        browser.close()
    server.shutdown()
    return found


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Nothing: the browser leaves pictures that are under way when it goes to the next page."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing is printed for a request."""


def heaviest(folder: Path) -> tuple[int, str]:
    """Bytes and name of the heaviest page."""
    sizes = [(path.stat().st_size, str(path.relative_to(folder))) for path in folder.rglob("*.html")]
    return max(sizes)


def main() -> int:
    """Print the table; 1 when a target was missed."""
    options = argparse.ArgumentParser()
    options.add_argument("--samples", type=int, default=1000)
    options.add_argument("--models", type=int, default=12)
    options.add_argument("--keep", type=Path)
    wanted = options.parse_args()
    folder = wanted.keep or Path(tempfile.mkdtemp())
    facts, world = made(wanted.samples, wanted.models)
    began = time.perf_counter()
    written = snapshot.write(facts, world.blobs, folder / "snapshot")
    wrote = time.perf_counter() - began
    began, busy = time.perf_counter(), time.process_time()
    site.build(folder / "snapshot", folder / "site")
    built, busy = time.perf_counter() - began, time.process_time() - busy
    out = folder / "site"
    pages = sum(1 for _ in out.rglob("*.html"))
    size, name = heaviest(out)
    kind = name.partition("/")[0]
    packed = len(gzip.compress((out / name).read_bytes()))
    board = next((out / "boards").glob("community--edit*")).relative_to(out)
    told = paint(out, [f"samples/{next(iter(facts.samples))}.html", str(board), "community.html", "samples/index.html"])
    slowest = max(told.values(), default=0.0)
    asked = f"{wanted.samples:,} samples x {wanted.models} models"
    rows = [
        (f"snapshot of {asked}, with thumbnails of {len(written.shown)} pictures", f"{wrote:.1f} s", ""),
        (
            f"site of {asked}, {pages:,} pages",
            f"{busy:.1f} s of CPU in one process, {built:.1f} s by the clock",
            f"{SECONDS:.0f} s",
        ),
        (
            f"heaviest page before its pictures, {kind}",
            f"{size / 1000:.0f} kB, {packed / 1000:.0f} kB packed",
            f"{HEAVIEST / 1000:.0f} kB",
        ),
        (
            f"first paint on loopback, slowest of {len(told)} kinds of pages, best of {VISITS}",
            f"{slowest:.2f} s",
            f"{PAINT:.0f} s",
        ),
    ]
    print("| what | measured | target |\n|---|---|---|")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))
    if wanted.keep is None:
        shutil.rmtree(folder)
    return int(busy > SECONDS or size > HEAVIEST or slowest > PAINT)


if __name__ == "__main__":
    sys.exit(main())
