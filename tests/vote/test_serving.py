"""The command `serve` on a workspace: killed at any moment, and seen by `status`, `boards`, `retire` and `release`."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.flow import prompts
from groundswell.flow.arena import arena_boards, entries
from groundswell.flow.workspace import workspace
from groundswell.pictures import encode_png
from groundswell.records import Edition, Endpoint, Job, Output, Ruling, Sample, Vote

from .test_web import Client

MODELS = ("ada", "bob", "cyd")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "groundswell.toml").write_text("[arena]\nmin_look_seconds = 0.2\n")
    tags = {"use_case": "consumer", "capability": "layout"}
    samples = [Sample(suite="arena", task="t2i", prompts={"en": f"A kite, number {n}."}, tags=tags) for n in range(4)]
    endpoints = [Endpoint(name=name, host="file", model=name) for name in MODELS]
    endpoints.append(Endpoint(name="blank", host="local", model="blank", family="baseline"))
    with workspace(tmp_path) as space:
        space.store.put([*samples, *endpoints])
        for number, sample in enumerate(samples):
            for place, endpoint in enumerate(endpoints):
                data = encode_png(np.full((32, 32, 3), 40 * place + number, dtype=np.uint8))
                job = Job(sample=sample.key, endpoint=endpoint.key)
                space.store.put(
                    [Output(job=job.key, sample=job.sample, endpoint=job.endpoint, pictures=(space.keep(data),))]
                )
        space.store.put([Edition(suite="arena", label="1", samples=tuple(each.key for each in samples))])
    return tmp_path


@contextmanager
def _served(folder):
    """The command `serve` in a process of its own; whatever happens, it does not outlive the test."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [Path(sys.executable).with_name("groundswell"), "serve", "--dir", folder, "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = server.stderr.readline()
            assert "the arena is open" in said
            yield server, Client(f"http://127.0.0.1:{port}")
        finally:
            server.kill()


def _json(*arguments):
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    return json.loads(result.stdout)


def test_a_vote_that_was_confirmed_survives_kill_minus_nine_and_its_ballot_stays_used(folder):
    with _served(folder) as (server, client):
        ballot, _, _ = client.ballot()
        time.sleep(0.3)
        status, after = client.vote(ballot)
        assert (status, len(re.findall(r"<bdi>", after))) == (200, 2)
        server.send_signal(signal.SIGKILL)
    assert _json("status", "--dir", folder)["stages"]["vote"] == {"done": 1, "failed": 0, "refused": 0, "missing": 0}
    with _served(folder) as (_, again):
        again._open = client._open
        again.ask("/")
        assert again.vote(ballot, "right")[0] == 409
    with workspace(folder) as space:
        assert [vote.winner for vote in space.store.records(Vote)] == ["left"]


def test_boards_of_votes_are_named_arena_and_leave_golden_pairs_out(folder):
    with workspace(folder) as space:
        from groundswell.flow.arena import simulate

        cast = simulate(space, {"ada": 1.0, "bob": 0.0, "cyd": -1.0}, sessions=20, votes=10)
        boards = {board.name: board for board in arena_boards(space)}
        golden = sum("blank" in (vote.left, vote.right) for vote in space.store.records(Vote))
    board = boards["arena-t2i"]
    assert [row.model for row in board.ratings] == ["ada", "bob", "cyd"]
    assert sum(board.left_out.values()) == golden > 0
    assert sum(row.games for row in board.ratings) == 2 * (200 - golden)
    assert "simulated" in board.method["simulated"]
    assert cast >= 200


def test_a_retired_prompt_is_not_drawn_until_it_is_restored(folder):
    with workspace(folder) as space:
        key = entries(space)[0].sample.key
        prompts.rule(space, [key], "retire", "too easy")
        assert key not in [entry.sample.key for entry in entries(space)]
        prompts.rule(space, [key], "restore", "not so easy")
        assert key in [entry.sample.key for entry in entries(space)]
        assert [each.what for each in space.store.records(Ruling)] == ["retire", "restore"]


def test_an_excluded_session_does_not_count_and_can_be_reinstated(folder):
    from groundswell.flow.arena import simulate

    with workspace(folder) as space:
        simulate(space, dict.fromkeys(MODELS, 0.0), sessions=6, votes=10)
        prompts.rule(space, ["simulated-0"], "exclude", "seen to cheat")
        (board,) = (board for board in arena_boards(space) if board.name == "arena-t2i")
        assert board.left_out["flagged: excluded by the operator"] > 0
        prompts.rule(space, ["simulated-0"], "reinstate", "was wronged")
        (board,) = (board for board in arena_boards(space) if board.name == "arena-t2i")
        assert not any(reason.startswith("flagged") for reason in board.left_out)


def test_prompts_are_admitted_frozen_compared_and_released_by_command(folder):
    rows = [
        {"id": 1, "suite": "x", "task": "t2i", "prompts": {"en": "A barber's sign that reads OPEN LATE."}},
        {"id": 2, "suite": "x", "task": "t2i", "prompts": {"en": "A lighthouse in fog, seen from a boat."},
         "tags": {"use_case": "consumer", "capability": "lighting"}},
        {"id": 3, "suite": "x", "task": "t2i", "prompts": {"en": "castle, masterpiece, best quality, 8k"},
         "tags": {"use_case": "consumer", "capability": "lighting"}},
    ]  # fmt: skip
    (folder / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    admitted = _json("admit", folder / "new.jsonl", "--dir", folder)
    assert [row["verdict"] for row in admitted["candidates"]] == ["queue", "admit", "reject"]
    (waiting,) = _json("admit", "--queue", "--dir", folder)["queue"]
    assert (
        "is no tag"
        in _json("admit", "--accept", waiting["sample"], "--tag", "use_case=barber", "--dir", folder)["error"]
    )
    tags = ("--tag", "use_case=consumer", "--tag", "capability=text rendering")
    _json("admit", "--accept", waiting["sample"], *tags, "--why", "looked at it", "--dir", folder)
    with workspace(folder) as space:
        assert space.store.get(waiting["sample"]).tags == {"use_case": "consumer", "capability": "text rendering"}
    frozen = _json("freeze", "arena", "2", "--dir", folder)
    assert (frozen["samples"], frozen["since"], frozen["came"], frozen["went"]) == (6, "1", 2, 0)
    assert _json("freeze", "arena", "2", "--dir", folder)["edition"] == frozen["edition"]
    assert "take a new label" in _json("freeze", "arena", "2", "--limit", 3, "--dir", folder)["error"]
    assert _json("release", "arena", "--out", folder / "out", "--dir", folder)["samples"] == 6
    assert _json("retire", "--dir", folder)["prompts"] == []


def test_the_operators_desk_tells_what_the_store_holds(folder):
    from groundswell.flow.arena import hall, simulate
    from groundswell.flow.operating import WorkspaceDesk
    from groundswell.vote.booth import Booth
    from groundswell.vote.sealing import Seal
    from groundswell.vote.writing import Writer

    with workspace(folder) as space:
        simulate(space, {"ada": 1.0, "bob": 0.0, "cyd": -1.0}, sessions=10, votes=10)
        booth = Booth(hall(space), Seal(b"s", time.time), Writer(space.store, "vote"), least_look=2.0, clock=time.time)
        desk = WorkspaceDesk(space, booth)
        desk.rule("simulated-0", "exclude", "seen to cheat")
        desk.reload()
        found = desk.overview()
    assert (found.counts["votes"], found.counts["sessions"], found.counts["models"]) == (100, 10, 3)
    assert found.reasons == {"excluded by the operator": 10}
    assert [(row["subject"], row["ruling"]) for row in found.sessions] == [("simulated-0", "exclude")]
    assert [row["what"] for row in found.log] == ["exclude"]
    assert booth.hall.votes == 100


def test_an_arena_without_pictures_says_so(tmp_path):
    (tmp_path / "groundswell.toml").write_text("[arena]\n")
    with _served(tmp_path) as (_, client):
        status, _, page = client.ask("/")
    assert (status, "no pairs to show yet" in page.decode()) == (200, True)


def test_tags_are_proposed_and_used_only_when_a_person_has_confirmed_them(folder):
    from groundswell.flow.arena import hall

    untagged = [Sample(suite="arena", task="t2i", prompts={"en": text}) for text in ("A sign that says HI.", "Red.")]
    with workspace(folder) as space:
        space.store.put([*untagged, Edition(suite="more", label="1", samples=tuple(each.key for each in untagged))])
    proposed = _json("tag", "--reader", "local", "--dir", folder)
    assert (proposed["reader"], proposed["asked"]) == ("local", 2)
    (waiting,) = (row for row in proposed["waiting"] if row["sample"] == untagged[0].key)
    assert (waiting["capability"], "sign" in waiting["why"]) == ("text rendering", True)
    with workspace(folder) as space:
        assert space.store.get(untagged[0].key).tags == {}, "a proposal changes nothing"
    assert _json("tag", "--reader", "local", "--dir", folder)["asked"] == 0, "asked once"
    wrong = _json("tag", "--confirm", untagged[0].key, "--as", "use_case=barber", "--dir", folder)
    assert "is no tag" in wrong["error"]
    assert "no tags were proposed" in _json("tag", "--confirm", "nowhere", "--dir", folder)["error"]
    _json("tag", "--confirm", untagged[0].key, "--as", "use_case=consumer", "--by", "grace", "--dir", folder)
    with workspace(folder) as space:
        kept = space.store.get(untagged[0].key)
        (told,) = (each for each in space.store.records(Ruling) if each.what == "tag")
        assert kept.tags["use_case"] == "consumer"
        assert kept.tags["capability"] == "text rendering"
        assert (told.by, told.subject, told.evidence["reader"]) == ("grace", kept.key, "local")
        assert kept.key in prompts.drawable(space), "a confirmation neither admits nor retires"
        assert hall(space) is not None
    assert all(row["sample"] != untagged[0].key for row in _json("tag", "--dir", folder)["waiting"])


def test_the_operator_confirms_proposed_tags_on_the_page(folder):
    sample = Sample(suite="arena", task="t2i", prompts={"en": "A sign that says HI."})
    with workspace(folder) as space:
        space.store.put([sample, Edition(suite="more", label="1", samples=(sample.key,))])
    token = None
    with _served(folder) as (_, client):
        token = (folder / ".operator-token").read_text()
        page = client.ask("/operator/sign-in", {"token": token})[2].decode()
        mark = {"mark": re.search(r'name="mark" value="([^"]+)"', page).group(1)}
        assert client.ask("/operator/propose", {})[0] == 403
        page = client.ask("/operator/propose", mark)[2].decode()
        assert "<option selected>text rendering</option>" in page
        said = {"subject": sample.key, "capability": "layout", "style-1": "anime"}
        assert client.ask("/operator/tag", said)[0] == 403
        assert client.ask("/operator/tag", {**mark, **said, "capability": "banana"})[0] == 422
        assert client.ask("/operator/tag", {**mark, "subject": sample.key})[0] == 422
        page = client.ask("/operator/tag", {**mark, **said})[2].decode()
        assert "capability: layout, style: anime" in page, "the audit log has it"
    with workspace(folder) as space:
        assert space.store.get(sample.key).tags == {"capability": "layout", "style": ["anime"]}


def test_simulated_votes_are_the_same_in_every_workspace_that_holds_the_same(folder, tmp_path_factory):
    from groundswell.flow.arena import simulate

    other = tmp_path_factory.mktemp("other")
    (other / "groundswell.toml").write_text("[arena]\nmethodology = '2026-11'\n")
    with workspace(folder) as space, workspace(other) as twin:
        kept = list(space.store.records(Sample, Endpoint, Output, Edition))
        twin.store.put(reversed(kept))
        for here in (space, twin):
            simulate(here, {"ada": 1.0, "bob": 0.0, "cyd": -1.0}, sessions=4, votes=12)
        votes = [
            {vote.ballot: (vote.left, vote.winner, vote.probability, vote.seconds_left) for vote in found}
            for found in (here.store.records(Vote) for here in (space, twin))
        ]
    assert len(votes[0]) == 48
    assert votes[0] == votes[1]


def test_every_page_says_that_votes_were_simulated(folder):
    from groundswell.flow.arena import simulate
    from groundswell.vote.pages import words

    said = words()["en"]["simulated"]
    with workspace(folder) as space:
        simulate(space, {"ada": 1.0, "bob": 0.0, "cyd": -1.0}, sessions=1, votes=3)
    with _served(folder) as (_, client):
        ballot, _, page = client.ballot()
        time.sleep(0.3)
        after = client.vote(ballot)[1]
        sign_in = client.ask("/operator")[2].decode()
        desk = client.ask("/operator/sign-in", {"token": (folder / ".operator-token").read_text()})[2].decode()
        mark = re.search(r'name="mark" value="([^"]+)"', desk).group(1)
        invited = client.ask("/operator/invite", {"name": "Grace", "mark": mark})[2].decode()
        panel = client.ask("/panel/" + re.search(r"/panel/([\w-]+)", invited).group(1))[2].decode()
        lost = client.ask("/nowhere")[2].decode()
    assert [said in where for where in (page, after, sign_in, desk, panel, lost)] == [True] * 6
