"""Write what the documentation takes from the program: python -m tools.docs [PAGE...]

The reference, the keys of `--json`, and the real output under the commands of every page that is run, README included.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools.docs import json_keys, reference
from tools.docs.meanwhile import MEANWHILE
from tools.docs.pages import executed, rewritten
from tools.docs.running import run

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"


def update(page: Path) -> bool:
    """Run one page and write it anew; False where a command ended otherwise than the page says."""
    text = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        came = run(text, Path(folder), MEANWHILE)
    failed = [outcome for block in came for outcome in block if outcome.exit != outcome.command.exit]
    if failed:
        sys.stderr.write(f"{page}\n{failed[0].told()}")
        return False
    page.write_text(rewritten(text, came))
    return True


def main(names: list[str]) -> int:
    """Write the pages named, or all of them and the reference; 1 where a command ended otherwise than a page says."""
    from groundswell.config import pin_native_threads

    pin_native_threads()
    if not names:
        with tempfile.TemporaryDirectory() as folder:
            json_keys.write(Path(folder).resolve())
        reference.write()
    pages = [Path(name) for name in names] or [*executed(DOCS), REPOSITORY / "README.md"]
    done = [update(page) for page in pages]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
