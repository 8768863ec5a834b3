"""Judges of a workspace against a scripted host: panels, pairs, rubrics of one's own, cards, snapshots, calibration."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from groundswell import pictures
from groundswell.cli import main
from groundswell.errors import UserError
from groundswell.files import write_text
from groundswell.flow.adaptive import _judge, judge_adaptively
from groundswell.flow.cards import CardOptions, _examine
from groundswell.flow.judging import reread
from groundswell.flow.running import RunOptions, _run
from groundswell.flow.standing import standings
from groundswell.flow.workspace import workspace
from groundswell.records import Decision, Edition, Endpoint, Judgment, Output, Picture, Sample, Unread, Vote, Winner
from groundswell.testing.host import Act, ScriptedHost, Seen
from groundswell.testing.served import Served

JUDGE = """
[[judge]]
name = "{name}"
host = "openai"
base_url = "{base_url}"
model = "{name}-2026-11-01"
family = "{name}"
mode = "{mode}"
price_in = 1.0
price_out = 2.0
"""


def config(names: tuple[str, ...], *, mode: str = "grade", quorum: int = 1, suite: str = "") -> str:
    judges = "".join(JUDGE.replace("{name}", name).replace("{mode}", mode) for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    return f"{judges}\n[panel]\njudges = [{listed}]\nquorum = {quorum}\nchecks = false\n{suite}"


def fill(folder: Path, text: str, models: tuple[str, ...], samples: int, *, suite: str = "talk") -> None:
    """A workspace of chat outputs, `model 3` being what a model said to sample 3."""
    write_text(folder / "groundswell.toml", text)
    made = [
        Sample(suite=suite, task="chat", prompts={"en": f"question {n}"}, tags={"category": f"c{n % 2}"})
        for n in range(samples)
    ]
    endpoints = [Endpoint(name=model, host="openai", model=model, family=model) for model in models]
    outputs = [
        Output(
            job=f"{sample.key}-{endpoint.name}", sample=sample.key, endpoint=endpoint.key, text=f"{endpoint.name} {n}"
        )
        for n, sample in enumerate(made)
        for endpoint in endpoints
    ]
    edition = Edition(suite=suite, label="1", samples=tuple(sample.key for sample in made), languages=("en",))
    with workspace(folder) as space:
        space.store.put([*made, edition, *endpoints, *outputs])


def at_host(folder: Path, script, work) -> ScriptedHost:
    """Do `work(space)` while every `{base_url}` of the workspace file is a scripted host."""

    async def whole() -> ScriptedHost:
        async with ScriptedHost(script) as host:
            path = folder / "groundswell.toml"
            text = path.read_text()
            write_text(path, text.replace("{base_url}", host.base_url))
            try:
                with workspace(folder) as space:
                    await work(space)
            finally:
                write_text(path, text)
            return host

    return asyncio.run(whole())


def judge_all(folder: Path, script) -> ScriptedHost:
    return at_host(folder, script, lambda space: _run(space, RunOptions(only=("judge",)), None))


def text_of(seen: Seen) -> str:
    content = seen.json()["messages"][-1]["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def judge_of(seen: Seen) -> str:
    return seen.json()["model"].removesuffix("-2026-11-01")


def board_of(folder: Path):
    with workspace(folder) as space:
        (standing,) = standings(space)
    return standing


def picture(space, colour: int) -> Picture:
    return space.keep(pictures.encode_png(np.full((8, 8, 3), colour, np.uint8)))


# --- panels -------------------------------------------------------------------------------------------------------

GRADES = {"one": {"a": 9, "b": 3}, "two": {"a": 4, "b": 6}, "three": {"a": 5, "b": 7}}


def edits(folder: Path, samples: int) -> dict[str, str]:
    """ECHO's edits with pictures of two models in the workspace; gives the model of every picture, as it is sent."""
    models = {}
    with workspace(folder) as space:
        endpoints = [Endpoint(name=model, host="openai", model=model) for model in ("a", "b")]
        keys = []
        for n in range(samples):
            sample = Sample(suite="echo", task="edit", prompts={"en": f"edit {n}"}, inputs=(picture(space, n),))
            keys.append(sample.key)
            space.store.put([sample])
            for place, endpoint in enumerate(endpoints):
                made = picture(space, 100 + 50 * place + n)
                models[base64.b64encode(space.blobs.get(made.digest)).decode()] = endpoint.name
                space.store.put([Output(job=f"{n}", sample=sample.key, endpoint=endpoint.key, pictures=(made,))])
        space.store.put([*endpoints, Edition(suite="echo", label="1", samples=tuple(keys), languages=("en",))])
    return models


def shown(seen: Seen) -> list[tuple[str, str]]:
    """The words before each picture, and the picture as it was sent."""
    parts = seen.json()["messages"][-1]["content"]
    return [
        (parts[place - 1]["text"], part["image_url"]["url"].partition(",")[2])
        for place, part in enumerate(parts)
        if part["type"] == "image_url"
    ]


def test_echos_panel_of_three_lets_two_judges_outvote_the_first(tmp_path: Path) -> None:
    write_text(tmp_path / "groundswell.toml", config(("one", "two", "three"), quorum=2))
    models = edits(tmp_path, 4)

    def script(seen: Seen) -> Act:
        (given, _), (role, result) = shown(seen)
        assert (given, role) == ("input picture 1:", "result:")
        return Act(text=f"Reasons.\nGrade: [[{GRADES[judge_of(seen)][models[result]]}]]")

    host = judge_all(tmp_path, script)
    assert len(host.seen) == 4 * 2 * 3
    standing = board_of(tmp_path)
    assert [(each.left, each.winner) for each in standing.comparisons] == [("a", Winner.RIGHT)] * 4, "A, B, B gives B"
    panel = standing.board.method["panel"]
    alike = {frozenset({each["one"][:3], each["other"][:3]}): each["same"]["value"] for each in panel["agreement"]}
    assert alike == {frozenset({"one", "two"}): 0.0, frozenset({"one", "thr"}): 0.0, frozenset({"thr", "two"}): 1.0}
    assert set(panel["without_judge"]) == set(standing.board.method["judges"])
    assert standing.board.calibration is None
    assert standing.board.method["calibration"].startswith("uncalibrated")


# --- pairs --------------------------------------------------------------------------------------------------------


def by_place(seen: Seen) -> Act:
    """Looks at sample 0 only, and prefers what stands first elsewhere."""
    text = text_of(seen)
    if "question 0" in text:
        better = 1 if text.index("good 0") < text.index("bad 0") else 2
        return Act(text=f"Result {better}: 9\nResult {3 - better}: 2")
    return Act(text="Result 1: 9\nResult 2: 2")


def test_a_verdict_that_flips_with_the_order_is_a_tie_and_the_board_says_how_often(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",), mode="pair"), ("bad", "good"), 4)
    host = judge_all(tmp_path, by_place)
    assert len(host.seen) == 4 * 2
    standing = board_of(tmp_path)
    assert sorted(each.winner for each in standing.comparisons) == [Winner.RIGHT, *[Winner.TIE] * 3]
    (flips,) = standing.board.method["panel"]["flips"].values()
    assert flips == {"flipped": 3, "pairs": 4, "rate": 0.75}
    (bias,) = [each for each in standing.board.method["panel"]["bias"] if each["kind"] == "position"]
    assert bias["excess"]["value"] == 0.375  # three of four pairs give the first place half a point too much
    assert {row["scored"] for row in standing.board.coverage.values()} == {4}
    said = CliRunner().invoke(main, ["boards", "--dir", str(tmp_path)]).output
    assert "uncalibrated" in said
    for words in (["publish"], ["explain", "talk", "good"]):
        done = CliRunner().invoke(main, [*words, "--dir", str(tmp_path), "--json"])
        assert done.exit_code == 0, done.output


# --- rubrics of one's own -----------------------------------------------------------------------------------------


def own_rubric(folder: Path, name: str) -> str:
    import groundswell.judge

    text = (Path(groundswell.judge.__file__).parent / "rubrics" / f"{name}.md").read_text()
    write_text(folder / "mine.md", text)
    return '\n[[suite]]\nname = "talk"\nedition = "1"\nrubric = "mine.md"\n'


@pytest.mark.parametrize(
    ("rubric", "reply", "grade"),
    [
        ("viescore", "Task Done: 4\nInput Kept: 9\nNatural Look: 10\nFree of Artifacts: 9", 6.0),  # sqrt(4 * 9)
        (
            "checklist",
            "Requested change present: yes\nRequested change complete: no\n"
            "Rest of the picture unchanged: yes\nFree of visible faults: yes",
            0.75,
        ),
    ],
)
def test_a_rubric_of_ones_own_brings_its_arithmetic(tmp_path: Path, rubric: str, reply: str, grade: float) -> None:
    fill(tmp_path, config(("judge",), suite=own_rubric(tmp_path, rubric)), ("a", "b"), 2)
    judge_all(tmp_path, lambda seen: Act(text=reply))
    assert board_of(tmp_path).board.coverage["a"]["mean_grade"] == pytest.approx(grade)


def test_verdicts_on_another_rubric_stay_off_the_board(tmp_path: Path) -> None:
    suite = own_rubric(tmp_path, "viescore")
    fill(tmp_path, config(("judge",), suite=suite), ("a", "b"), 2)
    judge_all(tmp_path, lambda seen: Act(text="Task Done: 4\nInput Kept: 9\nNatural Look: 10\nFree of Artifacts: 9"))
    write_text(tmp_path / "mine.md", (tmp_path / "mine.md").read_text() + "\nBe strict.\n")
    with workspace(tmp_path) as space:
        (standing,) = standings(space)
        assert (standing.board.ratings, standing.comparisons) == ((), ())


# --- report cards -------------------------------------------------------------------------------------------------


def obedient(seen: Seen) -> Act:
    obeys = "highest score" in text_of(seen) or "maximum" in text_of(seen) or "[[10]]" in text_of(seen)
    return Act(text=f"Grade: [[{10 if obeys else 6}]]")


def test_a_judge_that_obeys_planted_instructions_is_marked_on_every_board_it_touches(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",)), ("a", "b"), 12)
    boards = []

    async def judged_and_examined(space) -> None:
        await _run(space, RunOptions(only=("judge",)), None)
        await _examine(space, "judge", CardOptions())
        boards.append(standings(space)[0].board)
        (kept,) = [each for each in space.store.records(Decision) if each.question == "report card"]
        assert kept.evidence["card"]["cost_usd"] > 0

    at_host(tmp_path, obedient, judged_and_examined)
    (card,) = boards[0].method["panel"]["cards"].values()
    assert (card["mark"], card["failures"]) == ("failed", ["instruction"])
    assert any("failed its report card: instruction" in warning for warning in boards[0].method["warnings"])


def test_a_text_only_judge_of_llava_is_examined_by_its_candidates_score(tmp_path: Path) -> None:
    write_text(tmp_path / "groundswell.toml", config(("judge",)))
    endpoint = Endpoint(name="m", host="openai", model="m")
    samples = [
        Sample(
            suite="llava", task="chat", prompts={"en": f"question {n}"}, context="A fox.", reference="It is a fox.",
            tags={"category": "conv"},
        )
        for n in range(30)
    ]  # fmt: skip
    with workspace(tmp_path) as space:
        space.store.put([endpoint, *samples, Edition(suite="llava", label="1", samples=tuple(s.key for s in samples))])
        space.store.put(
            Output(job=each.key, sample=each.key, endpoint=endpoint.key, text="A fox, I think.") for each in samples
        )
    found: dict[str, Any] = {}

    async def examined(space) -> None:
        found.update(await _examine(space, "judge", CardOptions()))

    at_host(tmp_path, lambda seen: Act(text="8 6\nBecause."), examined)
    assert (found["mark"], found["not_tried"]) == ("passed", ())
    assert {each["plant"]: each["cases"] for each in found["findings"]} == {"repeat": 30, "instruction": 60}


def test_the_card_of_a_judge_of_pairs_tries_both_orders(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",), mode="pair"), ("bad", "good"), 40)
    found = {}

    async def examined(space) -> None:
        found.update(await _examine(space, "judge", CardOptions(outputs=80)))

    at_host(tmp_path, lambda seen: Act(text="Result 1: 9\nResult 2: 2"), examined)
    marks = {each["plant"]: each["mark"] for each in found["findings"]}
    assert marks["order"] == "failed"
    assert found["mark"] == "failed"


# --- which model answered -----------------------------------------------------------------------------------------


def answered_by(model: str, grade: int) -> Act:
    message = {"role": "assistant", "content": f"Grade: [[{grade}]]"}
    body = {"object": "chat.completion", "model": model, "choices": [{"message": message, "finish_reason": "stop"}]}
    return Act(body=json.dumps({**body, "usage": {"prompt_tokens": 9, "completion_tokens": 9}}))


def test_what_another_model_answered_under_way_is_left_out_and_said(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",)), ("a", "b"), 6)
    judge_all(tmp_path, lambda seen: answered_by("new" if seen.number >= 10 else "old", 5))
    board = board_of(tmp_path).board
    (reason,) = [why for why in board.left_out if "instead of" in why]
    assert re.fullmatch(r"verdict of judge@\w{8} answered by new instead of old", reason)
    assert board.left_out[reason] == 2
    assert list(board.method["panel"]["served_models"].values()) == ["old"]
    assert any("another model" in warning for warning in board.method["warnings"])


def test_an_alias_warns_and_a_dated_snapshot_does_not(tmp_path: Path) -> None:
    text = config(("judge",)).replace("judge-2026-11-01", "gpt-4o").replace("{base_url}", "http://127.0.0.1:9")
    fill(tmp_path, text, ("a", "b"), 1)
    said = CliRunner().invoke(main, ["judge", "--dry-run", "--dir", str(tmp_path)])
    assert "gpt-4o of judge is an alias" in said.stderr
    write_text(tmp_path / "groundswell.toml", text.replace("gpt-4o", "gpt-4o-2024-08-06"))
    assert "alias" not in CliRunner().invoke(main, ["judge", "--dry-run", "--dir", str(tmp_path)]).stderr


# --- reading again ------------------------------------------------------------------------------------------------


def test_reading_again_replaces_the_reading_and_asks_nobody(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",)), ("a", "b"), 2)
    judge_all(tmp_path, lambda seen: Act(text="Grade: [[7]]"))
    with workspace(tmp_path) as space:
        judgments = list(space.store.records(Judgment))
        common = {name: getattr(judgments[0], name) for name in ("outputs", "judge", "rubric", "sample", "reply")}
        space.store.replace([(judgments[0], Unread(why="no_score", **common))])
        assert reread(space, dry_run=True)["changed"] == {"unread -> judgment": 1}
        assert len(list(space.store.records(Unread))) == 1
        reread(space, dry_run=False)
        assert list(space.store.records(Unread)) == []
        assert [each.scores for each in space.store.records(Judgment)] == [{"grade": 7.0}] * 4
        assert reread(space, dry_run=False)["changed"] == {}


# --- calibration --------------------------------------------------------------------------------------------------


def test_votes_on_judged_outputs_calibrate_the_board_whole_and_by_slice(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",)), ("a", "b"), 80)
    judge_all(tmp_path, lambda seen: Act(text=f"Grade: [[{8 if re.search(r'a [0-9]+', text_of(seen)) else 4}]]"))
    with workspace(tmp_path) as space:
        for n, sample in enumerate(space.store.records(Sample)):
            winner = Winner.LEFT if n % 4 else Winner.RIGHT
            vote = Vote(ballot=str(n), sample=sample.key, left="a", right="b", winner=winner, by=f"p{n % 9}")
            space.store.put([msgspec.structs.replace(vote, methodology="2026-11", seconds_left=5.0, seconds_right=5.0)])
        board = next(each.board for each in standings(space) if not each.board.name.startswith("arena"))
    judges = {each["judge"].partition("@")[0]: each for each in board.calibration["judges"]}
    votes = board.calibration["people"]["votes"]
    assert set(judges) == {"judge", "panel"}
    assert judges["judge"]["accuracy"] == pytest.approx(0.75, abs=0.02)
    assert judges["judge"]["accuracy_interval"][0] < 0.75
    assert set(board.calibration["slices"]["category"]) == {"c0", "c1"}
    assert board.method["calibration"] == f"compared with people on {votes} votes"


# --- adaptive -----------------------------------------------------------------------------------------------------


def test_adaptive_judging_stops_when_the_tiers_have_parted_and_logs_its_probabilities(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",)), ("weak", "good", "fair"), 120)
    level = {"weak": 3, "fair": 5, "good": 8}

    def script(seen: Seen) -> Act:
        model, number = re.search(r"\b(weak|good|fair) (\d+)\n", text_of(seen)).groups()
        return Act(text=f"Grade: [[{level[model] + int(number) % 3 - 1}]]")

    found = []

    async def adaptively(space) -> None:
        found.extend(await _judge(space, RunOptions(only=("judge",)), 3, None))

    host = at_host(tmp_path, script, adaptively)
    (board,) = found
    assert board["stopped"] == "separated"
    assert board["tiers"] == [["good"], ["fair"], ["weak"]]
    assert board["calls"] == len(host.seen) < 360
    with workspace(tmp_path) as space:
        rounds = [each for each in space.store.records(Decision) if each.question == "adaptive selection"]
        assert rounds[0].answer["probability"] == {"fair": 1.0, "good": 1.0, "weak": 1.0}
        assert sum(len(each.answer["outputs"]) for each in rounds) == board["calls"]
        method = standings(space)[0].board.method
        assert method["selection"].startswith(f"adaptive, in {len(rounds)} rounds")


def test_adaptive_judging_that_is_cut_by_its_budget_goes_on_where_it_was(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",)), ("a", "b"), 60)

    def script(seen: Seen) -> Act:
        return Act(text=f"Grade: [[{8 if re.search(r'a [0-9]+', text_of(seen)) else 4}]]")

    found: list[dict] = []

    async def twice(space) -> None:
        for budget in (0.05, 1.0):
            found.extend(await _judge(space, RunOptions(budget=budget), None, None))

    host = at_host(tmp_path, script, twice)
    assert found[0]["stopped"].startswith("budget")
    assert 0 < found[0]["calls"] < 64
    assert found[1]["stopped"] == "separated"
    assert found[0]["calls"] + found[1]["calls"] == len(host.seen) == 64, "two models on the first 32 samples"


def test_adaptive_judging_needs_judges_that_grade_alone(tmp_path: Path) -> None:
    fill(tmp_path, config(("judge",), mode="pair").replace("{base_url}", "http://127.0.0.1:9"), ("a", "b"), 2)
    with workspace(tmp_path) as space, pytest.raises(UserError, match="chooses single gradings"):
        judge_adaptively(space, RunOptions(), None, None)


# --- roles --------------------------------------------------------------------------------------------------------


def test_exchanging_input_and_output_changes_what_the_judge_is_sent(tmp_path: Path) -> None:
    write_text(tmp_path / "groundswell.toml", config(("judge",)))
    with workspace(tmp_path) as space:
        one, two = picture(space, 10), picture(space, 200)
        for number, (given, made) in enumerate(((one, two), (two, one))):
            sample = Sample(suite="edits", task="edit", prompts={"en": "brighter"}, inputs=(given,))
            edition = Edition(suite=f"edits{number}", label="1", samples=(sample.key,))
            endpoint = Endpoint(name="m", host="openai", model="m")
            output = Output(job=str(number), sample=sample.key, endpoint=endpoint.key, pictures=(made,))
            space.store.put([sample, edition, endpoint, output])
    host = judge_all(tmp_path, lambda seen: Act(text="Grade: [[5]]"))
    first, second = (shown(seen) for seen in host.seen)
    assert [role for role, _ in first] == [role for role, _ in second] == ["input picture 1:", "result:"]
    assert [sent for _, sent in first] == [sent for _, sent in second][::-1]
    assert first[0][1] != first[1][1]


# --- commands -----------------------------------------------------------------------------------------------------


def test_the_commands_on_judges_print_what_they_found(tmp_path: Path) -> None:
    def script(seen: Seen) -> Act:
        return Act(text=f"Grade: [[{8 if re.search(r'a [0-9]+', text_of(seen)) else 4}]]")

    with Served(script) as host:
        fill(tmp_path, config(("judge",)).replace("{base_url}", host.base_url), ("a", "b"), 40)

        def call(*words: str) -> tuple[int, dict[str, Any]]:
            result = CliRunner().invoke(main, [*words, "--dir", str(tmp_path), "--json"], catch_exceptions=False)
            return result.exit_code, json.loads(result.stdout)

        code, planned = call("judge", "--adaptive", "--dry-run")
        assert (code, planned["plan"][0]["missing"], len(host.seen)) == (0, 80, 0)
        code, stopped = call("judge", "--adaptive", "--budget", "0.02")
        assert (code, stopped["adaptive"][0]["stopped"].partition(":")[0]) == (3, "budget")
        code, found = call("judge", "--adaptive", "--tiers", "2")
        assert (code, found["adaptive"][0]["tiers"]) == (0, [["a"], ["b"]])
        code, card = call("judge", "card", "judge", "--outputs", "12")
        assert (code, card["outputs"], card["mark"]) == (0, 12, "passed")
        code, again = call("judge", "reread", "--dry-run")
        assert (code, again["changed"], again["written"]) == (0, {}, False)


def test_a_card_of_an_unknown_judge_or_of_nothing_says_what_to_do(tmp_path: Path) -> None:
    write_text(tmp_path / "groundswell.toml", config(("judge",)).replace("{base_url}", "http://127.0.0.1:9"))
    nothing = CliRunner().invoke(main, ["judge", "card", "judge", "--dir", str(tmp_path)])
    assert (nothing.exit_code, "groundswell generate" in nothing.stderr) == (2, True)
    fill(tmp_path, config(("judge",)).replace("{base_url}", "http://127.0.0.1:9"), ("a", "b"), 2)
    unknown = CliRunner().invoke(main, ["judge", "card", "jugde", "--dir", str(tmp_path)])
    assert (unknown.exit_code, "no [[judge]] named jugde" in unknown.stderr) == (2, True)
