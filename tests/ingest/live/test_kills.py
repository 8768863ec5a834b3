"""kill -9 at random instants: no page that was kept is fetched again, and in the end nothing is missing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from groundswell.records import Post

KILLS = 5
WIDTH = 4
POSTS = 50
LATENCY = 0.02
REQUESTS = POSTS // 2 + POSTS
"""Pages of two posts, and a conversation of each."""


def test_a_killed_run_goes_on_where_it_was(visit):
    place = visit("x", f"limits = {{ concurrency = {WIDTH} }}\n")
    place.town.posts = [place.town.post(str(n), n, "image model") for n in range(1, POSTS + 1)]
    place.town.latency = LATENCY
    chance = random.Random(7)
    for instant in sorted(chance.sample(range(1, REQUESTS), KILLS)):
        process = start(place.folder)
        while len(place.paths) < instant:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert start(place.folder).wait() == 0
    assert len(place.kept(Post)) == POSTS
    asked = Counter(place.paths)
    assert len(asked) == REQUESTS
    assert sum(asked.values()) - len(asked) <= KILLS * WIDTH


def start(folder):
    return subprocess.Popen([sys.executable, str(Path(__file__).with_name("killed.py")), str(folder)])
