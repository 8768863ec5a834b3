"""Plain instructions read as operations."""

from __future__ import annotations

import pytest

from groundswell.providers.instructions import Operation, read


@pytest.mark.parametrize(
    ("instruction", "operations"),
    [
        ("Turn this into a black and white photo.", [Operation(name="gray")]),
        ("Crop to 640 x 360 for the video cover.", [Operation(name="crop", size=(640, 360))]),
        ("Posterize it, only 4 shades.", [Operation(name="posterize", colours=4)]),
        ("Rotate by 90° anticlockwise", [Operation(name="rotate", degrees=270)]),
        ("Blur it a little", [Operation(name="blur", amount=0.5)]),
        ("大幅提亮。", [Operation(name="brighter", amount=1.6)]),
        (
            "用黑色盖住 (1, 2) 到 (3, 4)。其他都不能变。",
            [Operation(name="fill", box=(1, 2, 3, 4), colour=(0, 0, 0))],
        ),
        ("Make it gray, then flip it.", [Operation(name="gray"), Operation(name="mirror", axis="horizontal")]),
        ("Make her smile", []),
        ("", []),
    ],
)
def test_an_instruction_is_read_as_its_operations(instruction: str, operations: list[Operation]) -> None:
    assert list(read(instruction)) == operations
