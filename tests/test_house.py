"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import groundswell

SOURCE = Path(groundswell.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_FUNCTION = 60
LONGEST_COMPOSITION = 300
"""Lines of a module of `flow`: beyond that it does more than put rooms together."""
FORBIDDEN = {"utils", "util", "helpers", "helper", "common", "base", "core", "manager"}


def functions(module: Path):
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{module.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for module in MODULES
        for node in functions(module)
        if node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert long == []


def test_no_module_of_the_composition_root_is_long() -> None:
    lines = {module.name: len(module.read_text().splitlines()) for module in (SOURCE / "flow").glob("*.py")}
    assert {name: number for name, number in lines.items() if number > LONGEST_COMPOSITION} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [module.relative_to(SOURCE) for module in MODULES]
    assert [path for path in named if FORBIDDEN & {part.removesuffix(".py") for part in path.parts}] == []


def test_every_module_says_what_it_is() -> None:
    assert [
        module for module in MODULES if module.stat().st_size and not ast.get_docstring(ast.parse(module.read_text()))
    ] == []


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = grimp.build_graph("groundswell", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("heavy", ["numpy", "polars", "PIL", "aiohttp", "sqlalchemy", "rich", "msgspec"])
def test_the_command_line_starts_without_heavy_packages(heavy: str) -> None:
    code = f"import sys, groundswell.cli; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
