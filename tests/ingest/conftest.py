"""One small export of every format (exports.json, written for these tests), and a way to read any of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundswell.ingest import read_files


@pytest.fixture
def exports():
    return json.loads(Path(__file__).with_name("exports.json").read_text())


@pytest.fixture
def read(tmp_path):
    """Reads values: each one a file of its own; text and bytes are written as they are."""

    def read(*values, **options):
        paths = []
        for place, value in enumerate(values):
            path = tmp_path / f"{place}.json"
            data = (
                value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
            )
            path.write_bytes(data)
            paths.append(path)
        return read_files(paths, salt="salt", **options)

    return read
