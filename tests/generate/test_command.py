import sys

import pytest

from groundswell.errors import UserError
from groundswell.providers.command import Command
from groundswell.records import Answer, Broken, Declined, Endpoint, Sample
from groundswell.testing.host import picture

SAMPLE = Sample(suite="s", task="edit", prompts={"en": "make it gray"}, size=(64, 64))


def run(tmp_path, program, **settings):
    (tmp_path / "program.py").write_text(
        f"import json, sys, base64, time\njob = json.loads(sys.stdin.readline())\n{program}"
    )
    words = [sys.executable, "program.py"]
    endpoint = Endpoint(name="e", host="command", model="m", settings={"command": words, **settings})
    return Command(endpoint, tmp_path).make(SAMPLE, "make it gray", [picture("input")], 42)


def test_a_program_reads_a_job_and_writes_its_picture_where_it_is_told(tmp_path):
    program = "open(job['output'], 'wb').write(open(job['inputs'][0], 'rb').read())"
    assert run(tmp_path, program).pictures == (picture("input"),)


def test_the_job_says_everything_that_a_model_needs(tmp_path):
    got = run(tmp_path, "print('loading'); print(json.dumps({'text': json.dumps(job, sort_keys=True)}))", steps=4)
    for said in (
        '"prompt": "make it gray"',
        '"seed": 42',
        '"task": "edit"',
        '"size": [64, 64]',
        '"settings": {"steps": 4}',
    ):
        assert said in got.text


def test_it_may_say_model_cost_and_rewritten_prompt(tmp_path):
    said = "{'base64': base64.b64encode(b'png').decode(), 'model': 'mine-2', 'cost': 0.01, 'rewritten_prompt': 'gray!'}"
    got = run(tmp_path, f"print(json.dumps({said}))")
    assert got == Answer(pictures=(b"png",), served_model="mine-2", cost=0.01, rewritten_prompt="gray!")


@pytest.mark.parametrize(
    ("program", "kind", "reason"),
    [
        ("print(json.dumps({'refused': 'not this'}))", Declined, "not this"),
        ("print(json.dumps({'error': 'no memory', 'transient': True}))", Broken, "no memory"),
        ("sys.exit('out of paint')", Broken, "the program ended with 1: out of paint"),
        ("print('done!')", Broken, "the program's last line is no JSON object: done!"),
        ("", Broken, "the program wrote no picture and said nothing of one"),
        ("print(json.dumps({'base64': '*'}))", Broken, "the program's base64 is damaged"),
    ],
)
def test_what_goes_wrong_is_told_apart(tmp_path, program, kind, reason):
    got = run(tmp_path, program)
    assert isinstance(got, kind)
    assert got.reason == reason


def test_a_program_that_hangs_is_ended(tmp_path):
    got = run(tmp_path, "time.sleep(60)", seconds=0.5)
    assert (got.what, got.reason) == ("timeout", "the program did not end in 0.5 s")


def test_a_program_that_is_not_there_is_a_failure_and_none_at_all_is_said_at_once(tmp_path):
    missing = Endpoint(name="e", host="command", model="m", settings={"command": "./no-such-program"})
    assert isinstance(Command(missing, tmp_path).make(SAMPLE, "x", [], 42), Broken)
    with pytest.raises(UserError, match="command"):
        Command(Endpoint(name="e", host="command", model="m"), tmp_path)
