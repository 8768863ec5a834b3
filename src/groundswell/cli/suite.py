"""Commands on suites: what there is, bringing samples and results in, taking samples out for inference elsewhere."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import Result, finish, record_rows, table
from groundswell.cli.workspace import FOLDER
from groundswell.errors import UserError
from groundswell.records import Edition, Record, Sample

FILE = click.Path(path_type=Path)


@click.group()
def suite() -> None:
    """List, show, import, export suites; bring in results made elsewhere."""


@suite.command("list")
@FOLDER
@finish
def list_suites(folder: Path) -> Result:
    """Suites that can be read, and the editions of the workspace.

    Example: groundswell suite list
    """
    from groundswell.config import FILE_NAME
    from groundswell.suites import registry

    rows: list[dict[str, Any]] = [{"suite": name, "edition": None, "samples": None} for name in registry.names()]
    if (folder / FILE_NAME).exists():
        from groundswell.flow.workspace import workspace

        with workspace(folder) as space:
            rows += [
                {"suite": edition.suite, "edition": edition.label, "samples": len(edition.samples)}
                for edition in space.store.records(Edition)
            ]
    columns = ("suite", "edition", "samples")
    return Result(data={"suites": rows}, show=lambda: table(record_rows(rows, columns), columns))


@suite.command()
@click.argument("name")
@FOLDER
@finish
def show(name: str, folder: Path) -> Result:
    """The newest edition of a suite: its samples by task, language and tag.

    Example: groundswell suite show photographs
    """
    from groundswell.editions.importing import newest
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        edition, samples = newest(space.store, name)
    data = {
        "suite": edition.suite,
        "edition": edition.label,
        "key": edition.key,
        "licence": edition.licence,
        "samples": len(samples),
        "not_runnable": sum(sample.not_runnable is not None for sample in samples),
        "tasks": Counter(sample.task for sample in samples),
        "languages": Counter(language for sample in samples for language in sample.prompts),
    }
    return Result(data=data)


@suite.command("import")
@click.argument("file", type=FILE)
@click.option("--name", help="Name of the suite; default: what the file says it is.")
@click.option("--edition", default="draft", show_default=True)
@click.option("--pictures", type=FILE, help="Folder of pictures, where rows name files that lie elsewhere.")
@click.option("--templates", type=FILE, help="Folder of your own copy of CPI's template files, word for word.")
@click.option("--rules", type=FILE, help="Your own LLaVA rule.json, word for word.")
@FOLDER
@finish
def bring_in(file: Path, name: str | None, edition: str, folder: Path, **own: Path | None) -> Result:
    """Bring samples into the workspace: CPI-shaped Parquet, LLaVA's JSONL files, or rows of your own.

    Example: groundswell suite import prompts.jsonl
    """
    from groundswell.editions.importing import edition_of
    from groundswell.flow.workspace import configure_suite, keep_samples, workspace
    from groundswell.suites import registry
    from groundswell.suites.asking import templates_of
    from groundswell.suites.sources import Options

    pictures, templates, rules = own["pictures"], own["templates"], own["rules"]
    with workspace(folder) as space:
        detected = registry.detect(file)
        samples = list(registry.load(detected, file, space.keep, Options(pictures=pictures)))
        made = edition_of(samples, name or samples[0].suite, edition)
        if templates or rules:
            templates_of(made.suite, rules=rules, folder=templates)  # whatever is wrong with them is said now
            configure_suite(space, made, templates=templates, rules=rules)
        keep_samples(space, samples, made)
    data = {
        "suite": made.suite,
        "edition": made.label,
        "format": detected,
        "samples": len(samples),
        "not_runnable": sum(sample.not_runnable is not None for sample in samples),
        "tasks": Counter(sample.task for sample in samples),
    }
    return Result(data=data)


@suite.command()
@click.argument("name")
@click.argument("target", type=FILE)
@click.option("--lang", default="en", show_default=True, help="Language of the instructions.")
@FOLDER
@finish
def export(name: str, target: Path, lang: str, folder: Path) -> Result:
    """Write a suite's samples for inference elsewhere: pictures, samples.jsonl, result_template.jsonl.

    Example: groundswell suite export cpi-general out --lang zh
    """
    from groundswell.editions.importing import newest
    from groundswell.flow.workspace import workspace
    from groundswell.suites.exchange import export as write

    with workspace(folder) as space:
        _, samples = newest(space.store, name)
        if target.is_file() or (target / "result_template.jsonl").exists():
            raise UserError("something is here already, perhaps with results in it; name another folder", where=target)
        count = write(samples, target, space.blobs.get, lang)
    data = {"folder": str(target), "samples": count}
    told = f"wrote {count} samples to {target}; fill in result_template.jsonl"
    return Result(data=data, show=lambda: click.echo(told))


@suite.command()
@click.argument("name")
@click.argument("file", type=FILE)
@click.option("--model", required=True, help="Name under which the results stand on boards.")
@click.option("--lang", default="en", show_default=True, help="Language in which the model was asked.")
@FOLDER
@finish
def results(name: str, file: Path, model: str, lang: str, folder: Path) -> Result:
    """Bring in results made elsewhere: rows {sample_index|id, result}, or a LLaVA answer file.

    Example: groundswell suite results cpi-general out/result_template.jsonl --model my-model
    """
    from groundswell.editions.importing import newest, outputs_of
    from groundswell.flow.workspace import workspace
    from groundswell.suites.exchange import read_results, require_language

    if not model.strip():
        raise UserError("--model is empty; give the name under which the results shall stand")
    with workspace(folder) as space:
        _, samples = newest(space.store, name)
        require_language(samples, lang)
        found = read_results(file, samples)
        pairs: list[tuple[Sample, str | bytes]] = [
            *found.texts,
            *((sample, path.read_bytes()) for sample, path in found.pictures),
        ]
        records: dict[str, Record] = {}
        for sample, result in pairs:
            try:
                records |= {one.key: one for one in outputs_of([(sample, result)], model, lang, space.keep)}
            except ValueError as error:
                line = found.lines[sample.key]
                raise UserError(f"the result is not a picture: {error}", where=file, line=line) from None
        new = space.store.put(records.values())
    data = {"model": model, "results": len(pairs), "new": new, "missing": len(found.missing)}
    return Result(data=data)


@suite.command()
@click.argument("name")
@click.option("--write", type=FILE, help="Folder for cases.jsonl and summary.json (CPI).")
@FOLDER
@finish
def scores(name: str, write: Path | None, folder: Path) -> Result:
    """A suite's own scores of the models in the workspace, beside the published history.

    Example: groundswell suite scores llava
    """
    from groundswell.flow.scores import suite_scores
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = suite_scores(space, name, write)
    return Result(data=data, show=lambda: _show_scores(data))


def _show_scores(data: dict[str, Any]) -> None:
    for model, by_judge in data["models"].items():
        for judge, found in by_judge.items():
            title = f"{model}, judged by {judge}"
            if "groups" in found:
                groups = ("name", "mean", "scored", "wanted")
                table(record_rows(found["groups"], groups), groups, title=title)
            else:
                columns = ("ratio", "reference", "candidate", "scored", "wanted", "declined")
                rows = [[category, *record_rows([row], columns)[0]] for category, row in found.items()]
                table(rows, ("category", *columns), title=title)
    for published in data["history"]:
        rows = [[model, *values] for model, values in published["rows"].items()]
        table(rows, ("published", *published["columns"]), title=f"{published['title']} ({published['source']})")
