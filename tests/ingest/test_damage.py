"""Real shapes, damaged at random: nothing crashes, whatever is read can be stored, and the report adds up."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundswell.ingest import read_files
from groundswell.ingest.threads import encode, thread_rows, weave

EXPORTS = json.loads(Path(__file__).with_name("exports.json").read_text())
ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e400,
        float("nan"),
        1.5,
        10**30,
        "",
        "x",
        "\ud800",
        "[deleted]",
        "9" * 400,
        [],
        {},
        [[]],
        [{}],
        {"id": {}},
    ]
)
plain = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)


def places(value):
    """Every (container, key) of a value."""
    found, waiting = [], [value]
    while waiting:
        node = waiting.pop()
        inner = (
            list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
        )
        found += [(node, key) for key, _ in inner]
        waiting += [each for _, each in inner]
    return found


@st.composite
def damaged(draw):
    value = copy.deepcopy(EXPORTS[draw(st.sampled_from(sorted(EXPORTS)))])
    for _ in range(draw(st.integers(1, 4))):
        spots = places(value)
        if not spots:
            break
        node, key = spots[draw(st.integers(0, len(spots) - 1))]
        if draw(st.booleans()) and isinstance(node, dict):
            del node[key]
        else:
            node[key] = copy.deepcopy(draw(ODD))  # else a container could come to hold itself
    return json.dumps(value)


def check(path, data):
    path.write_bytes(data)
    result = read_files([path], salt="s")
    report = json.loads(json.dumps(result.report()))
    assert report["posts"] == len({(post.platform, post.id) for post in result.posts})
    assert report["seen"] == report["posts"] + report["duplicates"]
    msgspec.json.encode([*result.posts, *result.tombstones])
    "".join(encode(list(thread_rows(weave([*result.posts, *result.tombstones]))))).encode()
    return report


@plain
@given(value=damaged())
def test_an_export_with_odd_values_in_any_place_is_read_or_refused(tmp_path, value):
    check(tmp_path / "a.json", value.encode())


@plain
@given(
    name=st.sampled_from(sorted(EXPORTS)),
    cut=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=3),
)
def test_an_export_cut_short_or_with_wrong_bytes_is_read_or_refused(tmp_path, name, cut, flips):
    data = bytearray(json.dumps(EXPORTS[name]).encode())
    for place, byte in flips:
        data[int(place * (len(data) - 1))] = byte
    report = check(tmp_path / "a.json", bytes(data[: int(cut * len(data))]))
    (row,) = report["files"]
    assert row["format"] or row["what"]


@plain
@given(data=st.binary(max_size=60))
def test_any_bytes_at_all_are_read_or_refused(tmp_path, data):
    check(tmp_path / "a.json", data)


@pytest.mark.parametrize("mark", ["[", '{"a":', '[{"data":'])
def test_endless_nesting_is_a_bad_line(tmp_path, mark):
    assert check(tmp_path / "a.json", mark.encode() * 100_000)["bad_lines"] == 1


@plain
@given(st.lists(damaged(), min_size=2, max_size=4), st.randoms())
def test_damaged_files_merge_alike_in_any_order(tmp_path, values, random):
    def merged(values):
        paths = []
        for place, value in enumerate(values):
            paths.append(tmp_path / f"{place}.json")
            paths[-1].write_text(value)
        result = read_files(paths, salt="s")
        report = {key: value for key, value in result.report().items() if key != "files"}
        return sorted(map(msgspec.json.encode, [*result.posts, *result.tombstones])), report

    one = merged(values)
    random.shuffle(values)
    assert merged(values) == one
