"""What stands beside the boards: the community, the judges, changes, withdrawals, published results, whose votes."""

import msgspec
import pytest

from groundswell.publish import change_view, charts, community_view, published_view, site, snapshot, trust_view
from groundswell.publish.facts import Facts, sources_of, voters_of
from groundswell.publish.sidelights import Published, Scored, Sidelights


@pytest.fixture(scope="module")
def facts(world):
    return Facts(world.collect())


def test_the_sidelights_come_back_as_they_were_written(world, tmp_path):
    world.write(tmp_path)
    assert snapshot.read(tmp_path).beside == world.beside
    assert {"community.json", "judges.json", "changes.json"} <= {path.name for path in tmp_path.iterdir()}


def test_the_funnel_says_what_each_step_keeps(facts):
    steps = {step["name"]: (step["count"], step["note"]) for step in community_view.funnel(facts)}
    assert steps["posts found"] == (8, "")
    assert steps["relevant"] == (6, "75 % of those judged")
    assert community_view.qualities(facts) == [("Benchmark", 4, 4 / 6), ("Trash", 2, 2 / 6)]


def test_a_day_without_posts_is_a_day_and_a_release_is_numbered(facts):
    days = community_view.days(facts)
    assert (str(days["first"]), str(days["last"])) == ("2026-11-01", "2026-11-04")
    assert days["released"] == [{"number": 1, "day": "2026-11-02", "names": ("Model One",)}]
    assert "2026-11-02: 1 post; out came Model One" in days["svg"]


def test_a_kind_of_complaint_opens_the_comments_that_are_here_and_counts_the_others(facts):
    colour, realism = community_view.kinds(facts)
    assert (colour["name"], colour["count"], colour["metric"]) == ("colour", 2, "color")
    assert [each["text"] for each in colour["comments"]] == ["it says: Make it blue.", "it says: A cat in the rain."]
    assert (realism["comments"], realism["away"], realism["metric"]) == ([], 1, None)


def test_a_word_counts_the_posts_that_use_it_and_not_how_often(facts):
    found = {word["word"]: (word["count"], word["size"]) for word in community_view.words(facts)}
    assert found == {"yellow tint": (2, 28), "plastic": (1, 14)}


def test_words_that_may_not_be_passed_on_stay_behind_on_every_page(fresh):
    held = fresh.store.get(next(iter(fresh.editions[1].samples)))
    closed = msgspec.structs.replace(held.inputs[0].licence, redistribute=False)
    fresh.store.kept[held.key] = msgspec.structs.replace(held, licence=closed)
    facts = Facts(fresh.collect())
    shown = str([community_view.kinds(facts), community_view.words(facts), community_view.novelty(facts)])
    assert "Make it blue." not in shown
    assert "A cat in the rain." in shown


def test_the_map_says_how_many_prompts_are_of_a_new_kind(facts):
    found = community_view.novelty(facts)
    assert (found["count"], found["novel"], found["explained"]) == (4, 2, 0.3)
    assert found["svg"].count("<title>Make it blue.</title>") == 1


def test_without_a_look_at_the_corpus_the_page_says_so(fresh):
    fresh.beside = Sidelights()
    assert community_view.novelty(Facts(fresh.collect()))["why"].endswith("groundswell curate corpus")


def test_a_report_card_draws_each_rate_beside_what_noise_may_reach(facts):
    found = trust_view.card(facts, "judge-a@0123abcd")
    assert found["sentence"] == "It failed degraded."
    assert [row["said"] for row in found["rows"]] == ["0 of 40 against it", "30 of 40 against it", "0 of 0 against it"]
    assert 'class="rule" x1="30.0%"' in found["rows"][1]["dial"]
    assert found["rows"][2]["dial"] is None
    assert found["not_tried"] == [("order", "Both orders of a pair must agree")]
    assert trust_view.card(facts, "judge-b") is None


def test_models_of_a_judges_own_family_are_marked_self_judged(facts, built):
    assert facts.self_judged(facts.snapshot.boards[0]) == {"ada": ["judge-a"], "copy-input": ["judge-a"]}
    assert "self-judged" in (built / "boards" / "looks--edit--2026-11.html").read_text()


def test_agreement_and_preferences_are_drawn_and_not_listed(facts, built):
    measures = trust_view.people(facts, "judge-a")[0]["measures"]
    assert [each["name"] for each in measures] == ["Kendall’s tau-b", "Accuracy"]
    assert "<svg" in measures[0]["cells"][0]["dial"]
    flagged, silent = trust_view.biases(facts)[0]["rows"]
    assert (flagged["flagged"], silent["dial"], silent["why"]) == (True, None, "no other judge saw such pairs")
    assert "without judge" not in (built / "method.html").read_text()


def test_a_rank_that_a_judge_makes_is_marked(facts):
    without = trust_view.panels(facts)[0]["without"]
    assert without["columns"] == ["without judge-a"]
    assert without["rows"][0]["cells"] == [("2", True)]


def test_a_change_says_who_moved_and_why_others_cannot_be_told(facts):
    found = change_view.change(facts, facts.snapshot.beside.changes[0])
    first, second = found["boards"][0]["rows"]
    assert (first["said"], first["before"]) == ("moved", ("1–2", "1,200"))
    assert (second["said"], second["after"], second["dial"]) == ("ranked only before yellow tint", None, None)


def test_published_rows_stand_under_ours_and_say_so(facts):
    table = published_view.tables(facts, facts.snapshot.boards[0])[0]
    assert [(row["source"], row["cells"][0]["value"]) for row in table["rows"]] == [
        ("here, judged by judge-a", 81.0),
        ("published", 70.1),
    ]
    assert table["rows"][0]["cells"][0]["n"] == "3 of 4 scored"


def test_llavas_categories_are_found_under_both_of_their_spellings(fresh):
    columns = ("conv", "detail", "complex", "all")
    table = Published(
        suite="llava", title="LLaVA-Bench", source="", columns=columns, rows={"Bard": (83.7, 69.7, 78.7, 77.8)}
    )
    groups = {"llava_bench_conv": 74.7, "all": 72.8}
    score = Scored(suite="llava", model="ada", judge="judge-a", groups=groups, unit="per cent of the reference")
    fresh.beside = Sidelights(published=(table,), scores=(score,))
    board = msgspec.structs.replace(fresh.boards[0], name="llava", modality="chat")
    (found,) = published_view.tables(Facts(fresh.collect()), board)
    assert [cell["value"] for cell in found["rows"][0]["cells"]] == [74.7, None, None, 72.8]
    assert found["unit"] == "per cent of the reference"


def test_a_withdrawal_is_a_key_and_a_day(built):
    text = (built / "data.html").read_text()
    assert "d" * 32 in text
    assert "1 post" in text
    card = (built / "data" / "README.md").read_text()
    assert "| looks 2026-11 | 6 |" in card.replace("\\-", "-")
    assert "* 1 post" in card


def test_the_data_card_of_hostile_text_is_inert(attacked):
    text = (attacked / "data" / "README.md").read_text()
    assert "<" not in text
    assert "](" not in text


def test_checksums_hold(built):
    from hashlib import sha256

    lines = [line.split("  ") for line in (built / "data" / "checksums.txt").read_text().splitlines()]
    assert len(lines) > 15
    assert all(sha256((built / "data" / name).read_bytes()).hexdigest() == digest for digest, name in lines)


def test_votes_of_simulated_voters_are_called_so_on_every_page(fresh, tmp_path):
    for key, vote in list(fresh.store.kept.items()):
        if hasattr(vote, "ballot"):
            fresh.store.kept[key] = msgspec.structs.replace(vote, by="simulated-1")
    board = fresh.boards[1]
    said = {"simulated": "18 of the votes were cast by simulated voters, not by people"}
    fresh.boards[1] = msgspec.structs.replace(board, method={**board.method, **said})
    out = fresh.site(tmp_path)
    pages = list(out.rglob("*.html"))
    assert all("simulated voters" in page.read_text() for page in pages)
    marked = '<span class="tag warn" title="18 of the votes'
    assert all(marked in (out / name).read_text() for name in ("models/index.html", "models/ada.html", "index.html"))
    assert "simulated" in (out / "api" / "boards" / "arena--t2i--2026-11.csv").read_text()
    assert "votes of simulated voters" in next(out.glob("explain/arena*/ada.html")).read_text()
    assert "a simulated voter’s vote" in "".join(page.read_text() for page in (out / "samples").glob("*.html"))


def test_who_said_it_is_counted_in_words(world):
    votes = [each for each in world.store.kept.values() if hasattr(each, "ballot")]
    assert sources_of([*world.comparisons[:1], *votes[:2]]) == "1 verdict of the panel, 2 votes of people"
    assert voters_of(votes) == "people’s votes"


def test_votes_that_were_set_aside_count_nowhere_and_are_shown_as_such(fresh, tmp_path):
    aside = tuple(key for key, each in fresh.store.kept.items() if hasattr(each, "ballot"))
    fresh.beside = Sidelights(set_aside=aside)
    facts = Facts(fresh.collect())
    assert facts.votes == {}
    out = fresh.site(tmp_path)
    assert "set aside" in "".join(page.read_text() for page in (out / "samples").glob("*.html"))


def test_the_board_of_a_slice_stands_on_the_samples_of_the_slice(facts):
    board = facts.snapshot.boards[1]
    whole = facts.samples_of(board)
    part = facts.samples_of(msgspec.structs.replace(board, name="arena/use_case=frontier"))
    assert part < whole
    assert {facts.samples[key].tags["use_case"] for key in part} == {"frontier"}
    assert facts.samples_of(msgspec.structs.replace(board, name="arena/language=zh")) == whole


def test_a_metric_leads_home_output_by_output(built):
    page = next(built.glob("explain/metrics/color*/ada.html")).read_text()
    assert "color of <bdi>ada</bdi>: why 27.7" in page
    assert page.count("27.7") > 4
    assert "groundswell explain color ada" in page


def test_a_failure_stands_in_the_table_with_its_words(built):
    text = (built / "endpoints.html").read_text()
    assert "no answer: a plain sentence" in text
    assert "not allowed: a plain sentence" in text


def test_a_chart_of_days_with_one_day_and_none_is_drawn():
    assert "<rect" in charts.days([charts.DayCount("2026-11-01", 0)])
    assert "<rect" not in charts.days([])


def test_a_site_without_anything_beside_the_boards_is_whole(fresh, tmp_path):
    fresh.beside = Sidelights()
    fresh.write(tmp_path / "snapshot")
    site.build(tmp_path / "snapshot", tmp_path / "site")
    assert (tmp_path / "site" / "community.html").exists()
    assert "There is one edition of each suite so far" in (tmp_path / "site" / "changes.html").read_text()
