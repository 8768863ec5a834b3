"""Commands on suites: what there is, bringing samples and results in, taking samples out for inference elsewhere."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import Result, finish, record_rows, table, visible
from groundswell.cli.workspace import FOLDER
from groundswell.errors import UserError
from groundswell.records import Edition, Record, Sample

FILE = click.Path(path_type=Path)
SHOWN = ("suite", "edition", "samples", "not_runnable", "key")


@click.group()
def suite() -> None:
    """List, show, import, export suites; bring in results made elsewhere.

    Example: groundswell suite import prompts.txt
    """


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

    def show() -> None:
        table(record_rows(rows, columns), columns)
        click.echo("without an edition: can be read, by suite import FILE or a [[suite]]; nothing of it is here yet")

    return Result(data={"suites": rows}, show=show)


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
    return Result(data=data, show=lambda: _show_suite(data))


def _show_suite(data: dict[str, Any]) -> None:
    table([[data[name] for name in SHOWN]], SHOWN)
    for what in ("tasks", "languages"):
        click.echo(f"{what}: {', '.join(f'{count} {name}' for name, count in data[what].items())}")
    licence = data["licence"]
    click.echo(f"licence: {licence.id if licence else 'not stated, which counts as no leave to pass it on'}")


@suite.command("import")
@click.argument("file", type=FILE)
@click.option("--name", help="Name of the suite; default: what the file says it is.")
@click.option("--edition", default="draft", show_default=True, help="Label of the edition that it becomes.")
@click.option("--pictures", type=FILE, help="Folder of pictures, where rows name files that lie elsewhere.")
@click.option("--templates", type=FILE, help="Folder of your own copy of CPI's template files, word for word.")
@click.option("--rules", type=FILE, help="Your own LLaVA rule.json, word for word.")
@click.option("--allow-outside", is_flag=True, help="Rows of your own may name pictures outside their file's folder.")
@FOLDER
@finish
def bring_in(
    file: Path, name: str | None, edition: str, folder: Path, *, allow_outside: bool, **own: Path | None
) -> Result:
    """Bring samples into the workspace: CPI-shaped Parquet, LLaVA's JSONL files, prompt sets of published benchmarks,
    a data set of the Hub (OWNER/NAME), or rows of your own.

    Example: groundswell suite import prompts.jsonl
    """
    from groundswell.editions.importing import edition_of
    from groundswell.flow.workspace import configure_suite, keep_samples, workspace
    from groundswell.suites import registry
    from groundswell.suites.asking import templates_of
    from groundswell.suites.sources import Options
    from groundswell.suites.tables import is_hub_id

    pictures, templates, rules = own["pictures"], own["templates"], own["rules"]
    with workspace(folder) as space:
        detected = registry.detect(file)
        source = str(file) if is_hub_id(file) else file
        options = Options(pictures=pictures, outside=allow_outside)
        samples = list(registry.load(detected, source, space.keep, options))
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
        "not_carried": registry.not_carried(detected, file),
    }
    return Result(data=data, show=lambda: _show_imported(data))


def _show_imported(data: dict[str, Any]) -> None:
    tasks = ", ".join(f"{count} {task}" for task, count in data["tasks"].items())
    click.echo(f"suite {data['suite']}, edition {data['edition']}: {data['samples']} samples ({tasks})")
    if data["not_runnable"]:
        click.echo(f"{data['not_runnable']} of them cannot be run; results made elsewhere can still be judged")
    for what, rows in data["not_carried"].items():
        click.echo(f"not carried over: {visible(what)} ({rows} rows)")
    click.echo("next: groundswell run --dry-run")


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
    """Bring in results made elsewhere: a folder of pictures named by sample_index or id, rows {sample_index|id,
    result}, or a LLaVA answer file.

    Example: groundswell suite results cpi-general results/ --model my-model
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
                line = found.lines.get(sample.key)
                where = file if line else f"{file}: sample {sample.label}"
                raise UserError(f"the result is not a picture: {error}", where=where, line=line) from None
        new = space.store.put(records.values())
    data = {"model": model, "results": len(pairs), "new": new, "missing": len(found.missing)}
    told = f"{model}: {len(pairs)} results, {len(found.missing)} missing; next: groundswell run"
    return Result(data=data, show=lambda: click.echo(told))


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
    if not data["models"]:
        click.echo("no model has a score here yet; [panel] names the judges, then: groundswell run")
    for published in data["history"]:
        rows = [[model, *values] for model, values in published["rows"].items()]
        table(rows, ("published", *published["columns"]), title=f"{published['title']} ({published['source']})")
