"""The reference, drawn from the code: commands from click, configuration and records from their classes, seams from
the Protocols. What the code does not say of itself is an error here, so that it is said where it belongs.

Nothing of the package is imported but the command line and the list of parts; classes are read as text, because their
fields' docstrings are nowhere else.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import click

from groundswell.cli import main
from groundswell.plugins import SEAMS, listing
from tools.docs.json_keys import page

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "groundswell"
REFERENCE = ROOT / "docs" / "reference"

NOTE = "<!-- Made by `make docs-output` from the code; edit it there. -->\n\n"


@dataclass(frozen=True)
class Field:
    """One field of a class."""

    name: str
    type: str
    default: str | None
    """As the code writes it; None = it must be given."""
    doc: str


@dataclass(frozen=True)
class Noun:
    """A class with its fields."""

    name: str
    bases: tuple[str, ...]
    doc: str
    fields: tuple[Field, ...]
    identity: str | None
    """The body of `identity`, as the code writes it."""
    members: tuple[Field, ...] = ()
    """Values of an enumeration."""


# --- reading the code ---------------------------------------------------------------------------------------------


def nouns(module: Path) -> dict[str, Noun]:
    """The classes of a module by name, in its order."""
    tree = ast.parse(module.read_text())
    return {node.name: _noun(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _noun(node: ast.ClassDef) -> Noun:
    return Noun(
        name=node.name,
        bases=tuple(ast.unparse(base) for base in node.bases),
        doc=_flat(ast.get_docstring(node) or ""),
        fields=tuple(_fields(node.body)),
        identity=_identity(node.body),
        members=tuple(_members(node.body)),
    )


def _fields(body: Sequence[ast.stmt]) -> Iterator[Field]:
    for place, node in enumerate(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            kind = ast.unparse(node.annotation)
            if not kind.startswith("ClassVar"):
                yield Field(
                    name=node.target.id,
                    type=kind.replace("'", '"'),
                    default=None if node.value is None else _default(node.value),
                    doc=_doc_after(body, place),
                )


def _members(body: Sequence[ast.stmt]) -> Iterator[Field]:
    for place, node in enumerate(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield Field(name=node.targets[0].id, type="", default=ast.unparse(node.value), doc=_doc_after(body, place))


def _doc_after(body: Sequence[ast.stmt], place: int) -> str:
    following = body[place + 1] if place + 1 < len(body) else None
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        return _flat(str(following.value.value))
    return ""


def _default(value: ast.expr) -> str:
    text = ast.unparse(value)
    factory = re.search(r"default_factory=(\w+)", text)
    if factory:
        return {"dict": "{}", "list": "[]"}[factory[1]]
    return text.replace("'", '"')


def _identity(body: Sequence[ast.stmt]) -> str | None:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == "identity":
            last = node.body[-1]
            return ast.unparse(last.value) if isinstance(last, ast.Return) and last.value else None
    return None


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


# --- writing ------------------------------------------------------------------------------------------------------


BAR = "\\|"
"""A bar in a cell, in code as well: without the stroke it would end the cell."""


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join('---' for _ in header)}|"]
    lines += [f"| {' | '.join(cell.replace('|', BAR) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    return f"`{text}`"


def commands() -> str:
    """The page of commands, one section for each, with its example, arguments and options."""
    parts = [
        "# Commands\n\nEvery command takes `--json` (one object on stdout, nothing else; [its keys](json.md)) and ends "
        "with 0 done, 1 done with failures, 2 usage or configuration, 3 budget or interrupt. Progress goes to "
        "stderr. `groundswell completion bash` prints what makes a shell complete names.\n"
    ]
    parts += [_command(name, command) for name, command in every_command()]
    return NOTE + "\n".join(parts)


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Every command with its whole name, subcommands after their group."""
    yield from _commands_of("groundswell", main)


def _commands_of(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if name != "groundswell":
        yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None and not found.hidden:
                yield from _commands_of(f"{name} {each}", found)


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    text, _, example = dedent(inspect.cleandoc(command.help or "")).partition("Example:")
    parts = [f"## {name.removeprefix('groundswell ')}\n", f"    {usage}\n", f"{_flat(text)}\n"]
    if example:
        parts.append(f"Example: `{_flat(example)}`\n")
    options = [parameter for parameter in command.get_params(context) if isinstance(parameter, click.Option)]
    rows = [_option(option) for option in options if "--help" not in option.opts and "--json" not in option.opts]
    if rows:
        parts.append(_table(("option", "meaning", "default"), rows))
    return "\n".join(parts)


def _option(option: click.Option) -> tuple[str, str, str]:
    takes = "" if option.is_flag else f" {option.metavar or _metavar(option)}"
    default = option.default
    shown = "" if option.is_flag or not isinstance(default, str | int | float | Path) else f"`{default}`"
    return f"`{' / '.join(option.opts)}{takes}`", option.help or "", shown


def _metavar(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return option.type.name.upper().replace(" RANGE", "")


def configuration() -> str:
    """The page of the workspace file: every table with every key, its type, default and meaning."""
    known = nouns(SOURCE / "config.py")
    parts = [
        "# The workspace file\n\n`groundswell.toml` in the workspace's folder. An unknown key is an error that names "
        "the nearest known one. Secrets stand in it only as `env:NAME`. A table in double brackets may stand several "
        "times.\n"
    ]
    parts += [_file_table(table, known) for table in known["File"].fields]
    parts.append(_limits(known["Limits"]))
    return NOTE + "\n".join(parts)


def _file_table(table: Field, known: dict[str, Noun]) -> str:
    several = re.fullmatch(r"tuple\[(\w+), \.\.\.\]", table.type)
    kind = known[several[1] if several else table.type]
    name = f"[[{table.name}]]" if several else f"[{table.name}]"
    doc = re.sub(r"^`[^`]*`: ", "", kind.doc)
    return f"## {name}\n\n{doc[0].upper()}{doc[1:]}\n\n{_keys(all_fields(kind, known))}"


def _limits(limits: Noun) -> str:
    return f"## limits\n\nOf an endpoint, a judge or a source: {limits.doc}\n\n{_keys(limits.fields)}"


def all_fields(noun: Noun, known: dict[str, Noun]) -> list[Field]:
    """Fields of a class with those that it inherits, these first."""
    inherited = [field for base in noun.bases if base in known for field in all_fields(known[base], known)]
    own = {field.name for field in noun.fields}
    return [*(field for field in inherited if field.name not in own), *noun.fields]


def _keys(fields: Sequence[Field]) -> str:
    rows = [
        (f"`{field.name}`", _code(field.type), "required" if field.default is None else _code(field.default), field.doc)
        for field in fields
    ]
    return _table(("key", "type", "default", "meaning"), rows)


def records() -> str:
    """The page of records: every noun of `records.py` with its fields and what names it."""
    parts = [
        "# Records\n\nThe nouns of `groundswell/records.py`. A record's `key` is a digest over its identity and "
        "nothing else; a part has no key. In JSON a record has its class name in lower case under `kind`, and "
        "fields at their default are left out.\n"
    ]
    parts += [_record(noun) for noun in nouns(SOURCE / "records.py").values()]
    return NOTE + "\n".join(parts)


def _record(noun: Noun) -> str:
    parts = [f"## {noun.name}\n", f"{noun.doc}\n"]
    kinds = [base for base in noun.bases if not base.startswith(("msgspec", "StrEnum"))]
    if kinds:
        parts.append(f"Is a [{kinds[0]}](#{kinds[0].lower()}), with its fields.\n")
    if noun.identity:
        parts.append(f"Identity: `{noun.identity.replace('self.', '')}`\n")
    if noun.members:
        rows = [(f"`{each.default}`".replace("'", ""), each.doc) for each in noun.members]
        parts.append(_table(("value", "meaning"), rows))
    if noun.fields:
        parts.append(_keys(noun.fields))
    return "\n".join(parts)


def seams() -> str:
    """The page of seams: what a plugin may replace, its methods, and the parts that come with the package."""
    parts = [
        "# Seams\n\nThe Protocols of `groundswell/ports.py`. A plugin registers under the entry-point group "
        "`groundswell.SEAM`; `groundswell plugins` lists what is installed, and nothing is loaded before its name is "
        "asked for. How to write one: [contributing](../contributing/README.md).\n"
    ]
    tree = ast.parse((SOURCE / "ports.py").read_text())
    parts += [_seam(node) for node in tree.body if isinstance(node, ast.ClassDef)]
    return NOTE + "\n".join(parts)


GROUPS = {"CheckRule": "check", "LocalModel": "local_model"}
"""Protocols whose entry-point group has another name."""


def _seam(node: ast.ClassDef) -> str:
    group = GROUPS.get(node.name, node.name.lower())
    parts = [f"## {node.name}\n", f"{_flat(ast.get_docstring(node) or '')}\n"]
    if group in SEAMS:
        ours = [f"`{part.name}`" for part in listing() if part.seam == group and part.package == "groundswell"]
        brings = f"; the package brings {', '.join(ours)}" if ours else ""
        parts.append(f"Group `groundswell.{group}`{brings}.\n")
    attributes = [f"`{field.name}: {field.type}`" for field in _fields(node.body)]
    if attributes:
        parts.append(f"Has {', '.join(attributes)}.\n")
    rows = [
        (_code(_signature(each)), _flat(ast.get_docstring(each) or ""))
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    parts.append(_table(("method", "meaning"), rows))
    return "\n".join(parts)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    given = [*node.args.args[1:], *node.args.kwonlyargs]
    words = ", ".join(ast.unparse(each) for each in given)
    prefix = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    result = ast.unparse(node.returns) if node.returns else "None"
    if any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
        return f"{node.name}: {result}"
    return f"{prefix}{node.name}({words}) -> {result}".replace("'", '"')


def json_keys() -> str:
    """The page of the keys that `--json` prints."""
    return NOTE + page()


PAGES = {
    "commands.md": commands,
    "configuration.md": configuration,
    "json.md": json_keys,
    "records.md": records,
    "seams.md": seams,
}
"""File of docs/reference -> what draws it."""


def write() -> None:
    """Write every page of the reference anew."""
    for name, draw in PAGES.items():
        (REFERENCE / name).write_text(draw())
