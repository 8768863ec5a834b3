"""The reference says what the code says, and the code says what everything is."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click import Group, Option
from tools.docs import json_keys, reference
from tools.docs.reference import PAGES, REFERENCE, SOURCE, all_fields, every_command, nouns

CONFIG, RECORDS = nouns(SOURCE / "config.py"), nouns(SOURCE / "records.py")
NOT_THE_FILE = {"Config", "File"}
COMMANDS = dict(every_command())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_reference_is_what_the_code_says_today(name: str) -> None:
    assert (REFERENCE / name).read_text() == PAGES[name](), "make docs-output draws it anew"


def test_every_key_of_the_workspace_file_says_what_it_means() -> None:
    tables = (table for name, table in CONFIG.items() if name not in NOT_THE_FILE)
    assert [f"{table.name}.{key.name}" for table in tables for key in table.fields if not key.doc] == []


def test_every_table_of_the_workspace_file_is_in_the_reference() -> None:
    page = reference.configuration()
    for table in CONFIG["File"].fields:
        assert f"[{table.name}]" in page
    endpoint = {key.name for key in all_fields(CONFIG["EndpointSettings"], CONFIG)}
    assert {"name", "host", "limits", "tasks", "price_per_image"} <= endpoint


def test_every_record_and_every_field_says_what_it_is() -> None:
    assert [noun.name for noun in RECORDS.values() if not noun.doc] == []
    assert [f"{noun.name}.{each.name}" for noun in RECORDS.values() for each in noun.fields if not each.doc] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_shows_an_example(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    example = command.help.partition("Example:")[2].strip()
    assert example.startswith("groundswell "), f"{name} --help has no example"
    assert example.startswith(name) or isinstance(command, Group)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for(name: str) -> None:
    options = (each for each in COMMANDS[name].params if isinstance(each, Option))
    assert [each.opts[0] for each in options if not each.help] == []


def test_every_seam_says_what_each_of_its_methods_does() -> None:
    empty = [line for line in reference.seams().splitlines() if line.endswith("|  |")]
    assert empty == []


@pytest.mark.timeout(900)
def test_the_keys_that_commands_print_are_those_of_the_reference(tmp_path: Path) -> None:
    kept = msgspec.json.decode(json_keys.PRINTED.read_bytes())
    found = {name: sorted(keys) for name, keys in json_keys.printed(tmp_path).items()}
    changed = {name: set(found.get(name, ())) ^ set(kept.get(name, ())) for name in kept.keys() | found.keys()}
    assert {name: keys for name, keys in changed.items() if keys} == {}, "make docs-output keeps them anew"


def test_every_key_that_a_command_prints_has_a_meaning() -> None:
    kept = msgspec.json.decode(json_keys.PRINTED.read_bytes())
    assert [f"{name}: {key}" for name, keys in kept.items() for key in keys if not json_keys.meaning(name, key)] == []
