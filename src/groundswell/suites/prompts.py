"""Prompts as people have them: a text file with one prompt a line, or a folder with one text file a prompt.

In a folder, a picture with the name of a prompt's file (`kite.txt`, `kite.jpg`) makes it an edit of that picture. What
is asked is always English here; rows of one's own (`custom`) say more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Sample
from groundswell.suites.sources import NO_OPTIONS, Keep, Options, file_bytes, kept, named_file

LANGUAGE = "en"

PICTURES = frozenset({".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})


def is_prompts(path: Path) -> bool:
    """Whether this is a text file, or a folder with some."""
    return path.suffix == ".txt" or (path.is_dir() and any(path.glob("*.txt")))


def suite_of(path: Path) -> str:
    """What the suite is called: as the folder, or the file without its ending."""
    return path.resolve().name if path.is_dir() else path.stem


def samples(source: Path, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples in the order of the lines, or of the files' names. Raises UserError where there is no prompt, or one
    stands twice."""
    found: dict[str, str] = {}
    for place, sample in _in_folder(source, keep, options) if source.is_dir() else _in_file(source):
        if (first := found.setdefault(sample.key, place)) != place:
            raise UserError(f"the prompt in {place} asks the same as that in {first}; remove one", where=source)
        yield sample
    if not found:
        raise UserError("there is no prompt here; write one a line", where=source)


def _in_file(source: Path) -> Iterator[tuple[str, Sample]]:
    for number, line in files.lines(source):
        try:
            prompt = line.decode()
        except UnicodeDecodeError:
            raise UserError("this is not UTF-8 text; save the file as UTF-8", where=source, line=number) from None
        yield (
            f"line {number}",
            Sample(
                suite=suite_of(source),
                task="t2i",
                prompts={LANGUAGE: prompt},
                label=str(number),
                tags={"sample_index": number},  # so that a result 12.png can only mean line 12
            ),
        )


def _in_folder(source: Path, keep: Keep, options: Options) -> Iterator[tuple[str, Sample]]:
    beside = sorted(path for path in source.iterdir() if path.suffix.lower() in PICTURES)
    for path in sorted(source.glob("*.txt")):
        named = [picture.name for picture in beside if picture.stem == path.stem]
        text, *inputs = (named_file(name, source, options, source, path.name) for name in (path.name, *named))
        yield (
            path.name,
            Sample(
                suite=suite_of(source),
                task="edit" if inputs else "t2i",
                prompts={LANGUAGE: files.read_text(text).strip()},
                label=path.stem,
                inputs=tuple(kept(keep, file_bytes(picture, path, 1), None, path, 1) for picture in inputs),
            ),
        )
