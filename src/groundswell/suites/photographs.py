"""Editing tasks over the photographs that scikit-image carries in its package: the suite of the demo.

The tasks stand in `photographs.json`: an instruction in English and Chinese, tags, and checks that can be measured. The
photographs are read where the package is installed, as their files are; nothing is downloaded or copied, and a picture
for which no licence is stated may not be passed on. Boxes are pixels of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import msgspec

from groundswell.errors import UserError
from groundswell.records import Check, Licence, Picture, Sample


class Photograph(msgspec.Struct, frozen=True, kw_only=True):
    """One file of scikit-image and its terms."""

    file: str
    licence: Licence


class EditingTask(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `photographs.json`; `id` starts with the photograph's name."""

    id: str
    en: str
    zh: str
    use_case: str
    capability: str
    checks: tuple[Check, ...]

    @property
    def photograph(self) -> str:
        return self.id.split("-")[0]


class Tasks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of `photographs.json`."""

    pictures: Mapping[str, Photograph]
    tasks: tuple[EditingTask, ...]


def tasks() -> Tasks:
    """Photographs and tasks, in their order."""
    return msgspec.json.decode(files(__package__).joinpath("photographs.json").read_bytes(), type=Tasks)


def folder() -> Path:
    """Where scikit-image keeps its photographs. Raises UserError when it is not installed."""
    found = find_spec("skimage")
    if found is None or not found.submodule_search_locations:
        raise UserError(
            "the demo's photographs come with scikit-image; install it with: pip install 'groundswell[demo]'"
        )
    return Path(found.submodule_search_locations[0]) / "data"


class Photographs:
    """A Suite whose source is the folder of the photographs (`folder()`)."""

    name: str = "photographs"

    def samples(self, source: Path, keep: Callable[[bytes], Picture]) -> Iterator[Sample]:
        """One sample a task, in order. `keep` stores a photograph's bytes once and describes them.

        Raises UserError for a photograph that is not in the folder.
        """
        content = tasks()
        kept: dict[str, Picture] = {}
        for task in content.tasks:
            name = task.photograph
            if name not in kept:
                kept[name] = _kept(source, content.pictures[name], keep)
            yield Sample(
                suite=self.name,
                task="edit",
                label=task.id,
                prompts={"en": task.en, "zh": task.zh},
                inputs=(kept[name],),
                tags={"use_case": task.use_case, "capability": task.capability},
                checks=task.checks,
            )


def _kept(source: Path, photograph: Photograph, keep: Callable[[bytes], Picture]) -> Picture:
    path = source / photograph.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(
            f"this photograph cannot be read ({error.strerror}); reinstall scikit-image", where=path
        ) from error
    return msgspec.structs.replace(keep(data), licence=photograph.licence)
