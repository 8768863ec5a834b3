"""The example posts through the local reader, in one workspace; each test looks at another side of it."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.errors import UserError
from groundswell.flow import curation, forgetting
from groundswell.flow.corpus import last_report, older_prompts
from groundswell.flow.reviewing import overrule
from groundswell.flow.workspace import author_salt, workspace
from groundswell.ingest import read_files
from groundswell.records import Decision, Edition, Post, Sample


@pytest.fixture(scope="module")
def folder(curated, tmp_path_factory):
    return shutil.copytree(curated, tmp_path_factory.mktemp("demo") / "w")


def samples(space):
    return {next(iter(sample.prompts.values())): sample for sample in space.store.records(Sample)}


def test_58_posts_of_three_platforms_become_16_samples_and_a_second_run_has_nothing_to_do(folder):
    with workspace(folder) as space:
        report = curation.curate(space, "local")
    assert report["nothing_to_do"]
    counts = ("posts", "threads", "relevant", "samples", "t2i", "edit", "runnable")
    assert [report[name] for name in counts] == [58, 23, 16, 16, 8, 8, 14]
    assert report["quality"] == {"Benchmark": 14, "Analysis": 2, "Trash": 0}
    assert report["edition"] == {"suite": "community", "label": "draft-1"}


def test_every_sample_can_be_followed_to_its_posts_and_its_decisions(folder):
    with workspace(folder) as space:
        posts = {post.key for post in space.store.records(Post)}
        decided = {(each.subject, each.question) for each in space.store.records(Decision)}
        for sample in space.store.records(Sample):
            assert set(sample.origins) <= posts
            assert {feedback.post for feedback in sample.feedback} <= posts
            assert (sample.label, "prompt") in decided


def test_a_template_is_filled_from_the_authors_reply_and_an_open_one_cannot_be_run(folder):
    with workspace(folder) as space:
        found = samples(space)
    poster = next(sample for prompt, sample in found.items() if prompt.startswith("A flat vintage travel poster"))
    assert "poster of Lisbon, a yellow tram in the centre" in poster.prompts["en"]
    assert poster.about == "Nano Banana Pro"
    open_one = next(sample for prompt, sample in found.items() if "[PRODUCT]" in prompt)
    assert (open_one.not_runnable, open_one.quality) == ("a blank is unfilled", "Analysis")


def test_a_collage_gives_its_left_side_as_the_input(folder):
    with workspace(folder) as space:
        tower = next(sample for prompt, sample in samples(space).items() if "lamp post" in prompt)
    (cut,) = tower.inputs
    assert (cut.width, cut.height) == (300, 220)
    assert tower.not_runnable is None


def test_a_person_overrules_and_the_word_survives_and_carries_on(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with workspace(tmp_path) as space:
        before = next(sample for prompt, sample in samples(space).items() if "teapot" in prompt)
        assert before.label is not None
        overrule(space, before.label, "relevance", {"score": 1}, "ana")
        report = curation.curate(space, "local")
        assert report["edition"] == {"suite": "community", "label": "draft-2"}
        overrule(space, before.label, "relevance", {"score": 5}, "ana")
        overrule(space, before.label, "quality", {"label": "Trash"}, "ana")
        assert not curation.curate(space, "local")["nothing_to_do"]
        assert curation.curate(space, "local")["nothing_to_do"]
        kept = next(sample for sample in space.store.records(Sample) if sample.key == before.key)
        assert kept.quality == "Trash"
        with pytest.raises(UserError, match="not in its form"):
            overrule(space, before.label, "quality", {"label": "Splendid"}, "ana")


def test_what_is_forgotten_is_gone_everywhere_and_does_not_come_back(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with workspace(tmp_path) as space:
        teapot = next(sample for prompt, sample in samples(space).items() if "teapot" in prompt)
        post = space.store.get(teapot.origins[0])
        assert isinstance(post, Post)
        digest = post.pictures[0].picture.digest
        gone = forgetting.forget(space, post.url)
        assert (gone["posts"], gone["samples"], gone["pictures"]) == (1, 1, 1)
        assert not space.blobs.has(digest)
        exports = sorted((tmp_path / "posts").glob("*.json"))
        again = read_files(exports, salt=author_salt(space), keep=space.keep)
        assert space.store.put([*again.posts, *again.tombstones]) == 0
        curation.curate(space, "local")
        assert not any("teapot" in prompt for prompt in samples(space))
        assert all(teapot.key not in edition.samples for edition in list(space.store.records(Edition))[1:])
        with pytest.raises(UserError, match="no post here has the address"):
            forgetting.forget(space, post.url)


def test_a_forgotten_reply_leaves_the_sample_without_its_words(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with workspace(tmp_path) as space:
        before = next(sample for prompt, sample in samples(space).items() if "teapot" in prompt)
        reply = space.store.get(before.feedback[0].post)
        assert isinstance(reply, Post)
        gone = forgetting.forget(space, reply.url)
        assert gone["samples"] == 0
        curation.curate(space, "local")
        after = space.store.get(before.key)
        assert isinstance(after, Sample)
        assert [each.post for each in after.feedback] == [each.post for each in before.feedback[1:]]
        assert reply.text not in str([each.answer for each in space.store.records(Decision)])


def test_status_counts_the_stages_of_curation_and_what_a_new_reader_has_still_to_read(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    stages = call(tmp_path, "status")["stages"]
    assert stages["ingest"] == {"done": 57, "failed": 0, "refused": 1, "missing": 0}
    assert stages["threads"] == {"done": 23, "failed": 0, "refused": 0, "missing": 0}
    assert [stages[f"{name}:local"]["done"] for name in ("relevance", "curate")] == [23, 16]
    judge = '[reader]\nuse = "other"\n[[judge]]\nname = "other"\nhost = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n'
    with (tmp_path / "groundswell.toml").open("a") as settings:
        settings.write(f'{judge}model = "m"\n')
    stages = call(tmp_path, "status")["stages"]
    assert (stages["relevance:other"]["missing"], stages["relevance:local"]["missing"]) == (23, 0)


def test_the_corpus_report_compares_task_kinds_is_kept_and_goes_with_a_forgotten_post(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "w")
    older = tmp_path / "old.csv"
    older.write_text("id,Prompt\n" + "".join(f'{n},"A painting of {n} foxes in snow"\n' for n in range(200)))
    report = call(tmp_path / "w", "curate", "corpus", "--older", str(older))
    kinds = {row["kind"]: row for row in report["task_kinds"]["kinds"]}
    removed = kinds["something removed or replaced"]
    assert (removed["ours"]["n"], removed["older"]["old"]["n"], removed["lacking_in"]) == (3, 0, ["old"])
    assert all(each["sample"] for each in removed["examples"])
    with workspace(tmp_path / "w") as space:
        kept = last_report(space)
        assert kept is not None
        assert kept["task_kinds"] == report["task_kinds"]
        url = next(post.url for post in space.store.records(Post) if "teapot" in post.text)
    call(tmp_path / "w", "forget", url)
    with workspace(tmp_path / "w") as space:
        assert last_report(space) is None
    assert call(tmp_path / "w", "curate", "corpus")["task_kinds"]["why"] is not None


def test_an_older_set_without_prompts_is_refused_by_its_columns(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("id,title\n1,a longer line of words\n")
    with pytest.raises(UserError, match="no column prompt"):
        older_prompts(path)


def call(place, *words):
    result = CliRunner().invoke(main, [*words, "--dir", str(place), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_screenshot_is_read_without_a_workspace(folder, tmp_path):
    picture = Path(folder) / "posts" / "pictures" / "screenshot.png"
    result = CliRunner().invoke(main, ["curate", "screenshot", str(picture), "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)
    assert found["prompt"].startswith("Put a red knitted hat")
    assert [box["role"] for box in found["boxes"]] == ["input", "output"]
    missing = CliRunner().invoke(main, ["curate", "screenshot", str(tmp_path / "none.png")])
    assert missing.exit_code == 2
