"""What anybody may call says what it does."""

from __future__ import annotations

import ast
from pathlib import Path

import groundswell

SOURCE = Path(groundswell.__file__).parent
SENTENCES = SOURCE / "testing" / "conformance.py"
"""Its checks have whole sentences for names."""


def public_functions(module: Path):
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node


def test_every_public_function_says_what_it_gives() -> None:
    silent = [
        f"{module.relative_to(SOURCE)}:{function.lineno} {function.name}"
        for module in sorted(SOURCE.rglob("*.py"))
        if module != SENTENCES
        for function in public_functions(module)
        if not ast.get_docstring(function)
    ]
    assert silent == []
