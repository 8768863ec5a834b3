"""The table of all benchmarks says what their sections say, and what was met and what was missed."""

from __future__ import annotations

from bench.summary import HEADINGS, table

TARGETS = """## Engine and store

`python -m bench.engine`, 2026-11-30, 117 s, 2 cores, x86_64, Python 3.11.7, load 3.2 at the start

| what | measured | target |
|---|---|---|
| CPU a unit | 0.106 ms | 0.4 ms |
| reopening | 6 s, 214 MB | 5 s |
| no target | 3 s |  |
"""
PEERS = """## Ratings

`python -m bench.ratings`, 2026-11-29, 2 cores, x86_64, Python 3.11.7, load 1.1 at the start

```
groundswell, 1,000 draws                   2.00     1.0     235     0.0e+00
scikit-learn logistic, 1,000 draws         8.00     4.0    1477     7.1e-04

within one process                                      seconds   limit
100 draws of it                                           31.00      30
one board of 5,000,000 votes                               0.50
```
"""


def rows(**sections: str) -> list[list[str]]:
    lines = table({title.replace("_", " "): text for title, text in sections.items()}).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_targets_are_met_or_missed() -> None:
    heading, _, met, missed = rows(Engine_and_store=TARGETS)
    assert heading == list(HEADINGS)
    assert met == ["CPU a unit", "0.106 ms", "0.4 ms", "", "", "met", "2026-11-30, 2 cores, x86_64, load 3.2"]
    assert missed[:3] == ["reopening", "6 s, 214 MB", "5 s"]
    assert missed[5] == "missed"


def test_a_peer_stands_beside_ours_with_the_ratio() -> None:
    _, _, limit, peer = rows(Ratings=PEERS)
    assert limit[:3] + limit[5:6] == ["100 draws of it", "31.00 s", "30 s", "missed"]
    assert peer[1:5] == ["2.00 s", "", "scikit-learn, 8.00 s", "4.0 times ours"]


def test_what_was_not_measured_has_no_row() -> None:
    assert table({}) == ""
    assert table({"Metrics": "## Metrics\n\nNothing yet.\n"}) == ""
