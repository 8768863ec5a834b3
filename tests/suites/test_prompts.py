"""Prompts as people have them: a text file, or a folder with a file for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundswell.errors import UserError
from groundswell.pictures import describe
from groundswell.suites import registry
from groundswell.testing.host import picture


def prompts(source: Path):
    return list(registry.load(registry.detect(source), source, describe))


def test_each_line_of_a_text_file_is_a_prompt_and_blank_ones_are_none(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_bytes("\ufeffA red kite\r\n\r\n  A blue door  \r\n".encode())
    found = prompts(tmp_path / "mine.txt")
    assert [(each.suite, each.label, each.task, each.prompts) for each in found] == [
        ("mine", "1", "t2i", {"en": "A red kite"}),
        ("mine", "3", "t2i", {"en": "A blue door"}),
    ]


def test_a_folder_gives_a_prompt_for_each_file_and_an_edit_where_a_picture_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / "kite.txt").write_text("Make it\nblue\n")
    (tmp_path / "kite.png").write_bytes(picture("kite"))
    (tmp_path / "door.txt").write_text("A door")
    door, kite = prompts(tmp_path)
    assert (door.task, door.inputs, kite.task, len(kite.inputs)) == ("t2i", (), "edit", 1)
    assert (kite.suite, kite.label, kite.prompts) == (tmp_path.name, "kite", {"en": "Make it\nblue"})


@pytest.mark.parametrize(
    ("lines", "why"),
    [("A door\nA kite\nA door\n", "line 3 asks the same as that in line 1"), ("\n \n", "empty")],
)
def test_a_prompt_that_stands_twice_or_nowhere_is_named(tmp_path: Path, lines: str, why: str) -> None:
    (tmp_path / "mine.txt").write_text(lines)
    with pytest.raises(UserError, match=why):
        prompts(tmp_path / "mine.txt")


def test_an_empty_prompt_in_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "door.txt").write_text(" \n")
    with pytest.raises(UserError, match=r"door\.txt: the file is empty"):
        prompts(tmp_path)
