"""What the pages show is what happens: every command of how-to pages and tutorial is run, and its output compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.docs.meanwhile import MEANWHILE
from tools.docs.pages import Command, Outcome, blocks, executed, rewritten
from tools.docs.running import run

DOCS = Path(__file__).parents[2] / "docs"
MOST_COMMANDS = 8

PAGE = """
```console run
$ groundswell rank \\
    votes.csv
old
$ ls
```
"""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", executed(DOCS), ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    came = run(page.read_text(), tmp_path, MEANWHILE)
    wrong = [outcome.told() for block in came for outcome in block if not outcome.same]
    assert not wrong, f"{page} is not true any more; make docs-output writes it anew\n\n" + "\n".join(wrong)


@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("*.md")), ids=lambda page: page.stem)
def test_a_job_takes_at_most_eight_commands(page: Path) -> None:
    assert sum(len(block.commands) for block in blocks(page.read_text())) <= MOST_COMMANDS


def test_each_of_the_five_jobs_has_a_page_that_is_run() -> None:
    names = {page.stem for page in executed(DOCS / "how-to")}
    assert names == {"build-from-posts", "check-a-number", "choose-an-endpoint", "open-an-arena", "score-my-model"}


def test_a_command_over_two_lines_is_one_command_with_the_output_under_it() -> None:
    (block,) = blocks(PAGE)
    assert [(each.words, each.shown) for each in block.commands] == [("groundswell rank votes.csv", "old"), ("ls", "")]


def test_writing_a_page_anew_changes_the_output_and_nothing_else() -> None:
    (block,) = blocks(PAGE)
    first, second = block.commands
    came = [Outcome(command=first, output="new", exit=0), Outcome(command=second, output="votes.csv", exit=0)]
    assert rewritten(PAGE, [came]) == PAGE.replace("old", "new").replace("$ ls\n", "$ ls\nvotes.csv\n")


@pytest.mark.parametrize(
    ("shown", "came", "same"),
    [
        ("spent: 4.58 USD", "spent: 4.60 USD", True),
        ("judge-a@cf4f5777", "judge-a@3759f213", True),
        ("a  1.0\n───", "a 1.0\n──", True),
        ("a 1169.4", "a 1170.1", False),
    ],
)
def test_money_keys_and_widths_may_differ_and_ratings_may_not(shown: str, came: str, same: bool) -> None:
    assert Outcome(command=Command(words="x", shown=shown), output=came, exit=0).same is same
