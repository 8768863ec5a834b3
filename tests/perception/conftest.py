"""Photographs of people whose identity matters: two men, one of them on three photographs."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ARCHIVE = "face_recognition-1.3.0.tar.gz"
FETCH = "pip download --no-deps --no-binary :all: -d .cache/photographs face-recognition==1.3.0"


@pytest.fixture(scope="session")
def people():
    """Photographs by file name, (h, w, 3) uint8."""
    path = Path(__file__).parents[2] / ".cache" / "photographs" / ARCHIVE
    if not path.is_file():
        pytest.skip(f"photographs of people are absent: {FETCH}")
    with tarfile.open(path) as archive:
        members = [member for member in archive if "/test_images/" in member.name and member.isfile()]
        return {
            Path(member.name).name: np.asarray(
                Image.open(io.BytesIO(archive.extractfile(member).read())).convert("RGB")
            )
            for member in members
        }


@pytest.fixture(scope="session")
def astronaut():
    return pytest.importorskip("skimage.data", reason="photographs come with scikit-image").astronaut()
