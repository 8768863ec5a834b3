"""An open workspace, and the editions in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files as resources
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from groundswell import config as configuration
from groundswell.config import FILE_NAME, Config, EndpointSettings, SuiteSettings
from groundswell.errors import UserError
from groundswell.files import write_bytes, write_text
from groundswell.providers.published import Published, published
from groundswell.records import Edition, Output, Picture, Post, Record, Ruling, Sample
from groundswell.store.blobs import ObjectBlobs, open_blobs
from groundswell.store.sql import SqlStore, open_store, open_to_read

MADE_HERE = {"echo": "community", "arena": "arena"}
"""Suites whose samples a workspace makes itself, where no source is named, and what their editions are called."""

MAKING = {"echo": "groundswell ingest FILES && groundswell curate", "arena": "groundswell admit FILES"}


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """An open workspace: its configuration, its facts and its bytes."""

    config: Config
    """With published settings where the file gives an endpoint none."""
    store: SqlStore
    blobs: ObjectBlobs
    published: Mapping[str, Published] = {}
    """By endpoint's name, where the published settings come from."""

    def keep(self, data: bytes) -> Picture:
        """Store the bytes of a picture and describe it. Raises ValueError where they are not one."""
        from groundswell.pictures import describe

        picture = describe(data)
        self.blobs.put(data)
        return picture

    def settings_of(self, endpoint: EndpointSettings) -> dict[str, Any]:
        """What an endpoint is asked with, and whose word that is: `{endpoint, settings, source, date, how}`."""
        row = self.published.get(endpoint.name)
        said = {"endpoint": endpoint.name, "settings": dict(endpoint.settings), "date": None, "how": None}
        if row is not None:
            return {**said, "source": row.source, "date": row.date, "how": row.how}
        return {**said, "source": FILE_NAME if endpoint.settings else None}

    def file(self, named: str | None) -> Path | None:
        """A path that the workspace file names."""
        return None if named is None else Path(self.config.place(named))


@contextmanager
def workspace(folder: Path, *, read_only: bool = False) -> Iterator[Workspace]:
    """Open the workspace of a folder. Raises UserError when there is none or its configuration is wrong, and where it
    is to be read only also when nothing was stored in it yet."""
    config, rows = with_published(configuration.load(folder))
    settings = config.file.workspace
    open_it = open_to_read if read_only else open_store
    store = open_it(config.place(settings.store))
    try:
        blobs = open_blobs(config.place(settings.blobs))
        yield Workspace(config=config, store=store, blobs=blobs, published=rows)
    finally:
        store.close()


def with_published(config: Config) -> tuple[Config, dict[str, Published]]:
    """The configuration with published settings where the file gives an endpoint none, and their rows by its name."""
    rows = {}
    endpoints = []
    for endpoint in config.file.endpoint:
        row = None if endpoint.settings else published(endpoint.host, endpoint.model)
        if row is not None:
            rows[endpoint.name] = row
            endpoint = structs.replace(endpoint, settings=row.settings)
        endpoints.append(endpoint)
    return structs.replace(config, file=structs.replace(config.file, endpoint=tuple(endpoints))), rows


def initialise(folder: Path, starter: str = "workspace") -> Path:
    """Write the workspace file of a new workspace. Raises UserError when there is one already."""
    path = folder / FILE_NAME
    if folder.exists() and not folder.is_dir():
        raise UserError("this is a file; name a folder", where=folder)
    if path.exists():
        raise UserError("there is a workspace here already; edit it, or name another folder", where=path)
    write_text(path, resources("groundswell").joinpath(f"starters/{starter}.toml").read_text("utf-8"))
    return path


def editions(space: Workspace) -> list[tuple[SuiteSettings, Edition]]:
    """The edition of every configured suite, read from its source when it is not in the store yet; and the newest
    edition of every suite that a command brought in."""
    stored = list(space.store.records(Edition))
    found = [_configured(space, suite, stored) for suite in space.config.file.suite]
    names = {edition.suite for _, edition in found}
    others = {edition.suite: edition for edition in stored if edition.suite not in names}
    found += [(SuiteSettings(name=name, languages=edition.languages), edition) for name, edition in others.items()]
    return found


def _configured(space: Workspace, suite: SuiteSettings, stored: Sequence[Edition]) -> tuple[SuiteSettings, Edition]:
    """A suite that the workspace file names, with its edition. Its name is that of a suite that comes with
    Groundswell, of one that a command brought in, or the path of a file or folder of samples."""
    from groundswell.suites import registry

    path = space.file(suite.name)
    if suite.name not in registry.names() and suite.source is None and path is not None and path.exists():
        suite = msgspec.structs.replace(suite, name=registry.suite_of(path), source=suite.name)
    named = [edition for edition in stored if edition.suite == MADE_HERE.get(suite.name, suite.name)]
    edition = next((edition for edition in named if edition.label == suite.edition), None)
    if edition is None and named and suite.source is None and suite.name not in registry.names():
        edition = named[-1]
    edition = edition or _bring_in(space, suite)
    return msgspec.structs.replace(suite, name=edition.suite), edition


def _bring_in(space: Workspace, suite: SuiteSettings) -> Edition:
    from groundswell.editions.importing import edition_of

    samples = list(islice(of_source(space, suite, space.keep), suite.limit))
    edition = edition_of(samples, suite.name, suite.edition, suite.languages)
    keep_samples(space, samples, edition)
    return edition


def of_source(space: Workspace, suite: SuiteSettings, keep: Callable[[bytes], Picture]) -> Iterator[Sample]:
    """The samples of a configured suite as its source has them; `keep` is given the bytes of their pictures."""
    from groundswell.suites import registry
    from groundswell.suites.sources import Options

    if suite.source is None and suite.name in MADE_HERE:
        raise UserError(f"{suite.name} needs a source, or samples that are made here: {MAKING[suite.name]}")
    local = space.file(suite.source)
    # What is no file here may be the id of a data set.
    source = local if local is not None and local.exists() else suite.source or ""
    reader = suite.name
    if reader not in registry.names() and isinstance(source, Path):
        reader = registry.detect(source)
    options = Options(pictures=space.file(suite.pictures), languages=suite.languages, outside=suite.allow_outside)
    return registry.load(reader, source, keep, options)


def configure_suite(space: Workspace, edition: Edition, *, templates: Path | None, rules: Path | None) -> None:
    """Append the `[[suite]]` table of an edition that came with a person's own rubrics, so that judges are asked by
    them. Raises UserError when the suite stands in the workspace file already."""
    if any(suite.name == edition.suite for suite in space.config.file.suite):
        raise UserError(
            f"the suite {edition.suite} stands here already; set its templates or rules by hand",
            where=space.config.path,
        )
    lines = {"name": edition.suite, "edition": edition.label}
    lines |= {name: str(path.resolve()) for name, path in (("templates", templates), ("rules", rules)) if path}
    table = "".join(f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in lines.items())
    languages = msgspec.json.encode(edition.languages).decode()
    added = f"\n# Added by groundswell suite import.\n[[suite]]\n{table}languages = {languages}\n"
    write_text(space.config.path, space.config.text.rstrip("\n") + "\n" + added)


def keep_samples(space: Workspace, samples: Sequence[Sample], edition: Edition) -> None:
    """Store an edition with its samples. What is no part of a sample's identity (licence, tags) is taken as it is
    said now: a corrected licence must not be shadowed by the old one."""
    space.store.put(with_confirmed_tags(space, samples), renew=True)
    space.store.put([edition], renew=True)


def with_confirmed_tags(space: Workspace, samples: Sequence[Sample]) -> list[Sample]:
    """Samples that come in again, with the tags that a person has confirmed on them."""
    from groundswell.editions.tagging import confirmations, confirmed

    return confirmed(samples, confirmations(space.store.records(Ruling)))


def pictures_of(record: Record) -> Iterator[Picture]:
    """The pictures whose bytes a record needs."""
    match record:
        case Post():
            yield from (each.picture for each in record.pictures if each.picture is not None)
        case Sample():
            yield from record.inputs
        case Output():
            yield from record.pictures


def author_salt(space: Workspace) -> bytes:
    """The workspace's own salt for the hashes of authors, made at its first use. Whoever has it can test a name."""
    path = space.config.folder / ".author-salt"
    if not path.exists():
        write_bytes(path, os.urandom(32))
        path.chmod(0o600)
    return path.read_bytes()
