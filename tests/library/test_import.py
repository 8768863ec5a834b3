"""`import groundswell` is light, typed, and small enough to keep in the head."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import groundswell

ROOT = Path(groundswell.__file__).parent
HEAVY = ("numpy", "polars", "PIL", "aiohttp", "pandas", "pyarrow", "scipy", "sqlalchemy", "msgspec", "rich", "click")
BUDGET_SECONDS = 0.150


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_loads_no_heavy_package_and_none_of_our_own_rooms() -> None:
    mine = "m.startswith('groundswell.')"
    code = f"import sys, groundswell; print([m for m in sys.modules if m.partition('.')[0] in {HEAVY} or {mine}])"
    assert run(code).strip() == "[]"


def test_importing_takes_less_than_150_milliseconds() -> None:
    code = "import time; start = time.perf_counter(); import groundswell; print(time.perf_counter() - start)"
    assert min(float(run(code)) for _ in range(3)) < BUDGET_SECONDS


def test_looking_at_the_names_loads_nothing_either() -> None:
    assert run("import sys, groundswell; dir(groundswell); print('msgspec' in sys.modules)").strip() == "False"


def test_there_are_at_most_30_public_names_and_each_can_be_had() -> None:
    assert len(groundswell.__all__) <= 30
    assert all(getattr(groundswell, name) is not None for name in groundswell.__all__)
    assert set(groundswell.__all__) <= set(dir(groundswell))


def test_no_public_name_is_the_name_of_a_room() -> None:
    """The import system would put the room in its place as soon as something imports it."""
    rooms = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert not rooms & set(groundswell.__all__)


def test_type_checkers_see_the_names_that_there_are() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text())
    named = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named | {"__version__"} == set(groundswell.__all__)
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            assert [groundswell._HOMES[alias.name] for alias in node.names] == [
                node.module.removeprefix("groundswell.")
            ]
    assert (ROOT / "py.typed").exists()


def test_every_public_function_and_class_says_what_it_takes_and_gives() -> None:
    for name in groundswell.__all__:
        said = getattr(groundswell, name).__doc__
        assert said, name
        assert callable(getattr(groundswell, name)) or name == "__version__"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(groundswell, "nothing")
