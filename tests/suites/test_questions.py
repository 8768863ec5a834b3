"""What a judge is asked, word by word, and which rubric asks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundswell.ask.reading import read
from groundswell.errors import UserError
from groundswell.records import Output, Picture, Sample
from groundswell.suites import asking, cpi, llava, questions, templates


def picture(name: str) -> Picture:
    return Picture(digest=name, media_type="image/png", width=8, height=8)


def chat(**columns: object) -> Sample:
    asked = {"prompts": {"en": "What is it?"}, "context": "A cup.", "reference": "A cup of tea.", "label": "3"}
    return Sample(suite="llava", task="chat", tags={"category": "llava_bench_conv"}, **(asked | columns))


def edit(subset: str, **tags: object) -> Sample:
    return Sample(
        suite=f"cpi-{subset}",
        task="edit",
        prompts={"en": "Add a {rationale} cat", "zh": "加一只猫"},
        inputs=(picture("a"), picture("b")),
        context="Cats cast shadows.",
        label="s0",
        tags={"subset": subset, "sample_index": 0} | tags,
    )


def output(*pictures: Picture, text: str | None = None, language: str = "en") -> Output:
    return Output(job="j", sample="s", endpoint="e", pictures=pictures, text=text, language=language)


def about(sample: Sample, made: Output) -> tuple[questions.Question, ...]:
    return asking.questions(sample.suite, sample, made, templates.ours())


def test_the_llava_judge_reads_context_question_both_answers_and_the_rule() -> None:
    (question,) = about(chat(), output(text="A mug."))
    rule = templates.ours().llava("llava_bench_conv")
    assert question.rubric == rule
    assert question.system == rule.rules["system"]
    assert question.parts == (
        "[Context]\nA cup.\n\n[Question]\nWhat is it?\n\n"
        "[Assistant 1]\nA cup of tea.\n\n[End of Assistant 1]\n\n"
        "[Assistant 2]\nA mug.\n\n[End of Assistant 2]\n\n"
        f"[System]\n{rule.text}",
    )


def test_without_a_context_there_is_no_context_block() -> None:
    (question,) = about(chat(context=None), output(text="A mug."))
    assert question.parts[0].startswith("[Question]\n")


def test_a_new_reference_takes_the_place_of_the_shipped_one_and_none_is_an_error() -> None:
    question = questions.llava_question(chat(), "A mug.", templates.ours(), reference="Tea.")
    assert "[Assistant 1]\nTea.\n" in question.parts[0]
    with pytest.raises(UserError, match="question 3 of llava has no reference answer"):
        questions.llava_question(chat(reference=None), "A mug.", templates.ours())


def test_the_reference_is_asked_for_with_the_context_and_never_with_an_answer() -> None:
    system, text = questions.reference_messages(chat())
    assert system
    assert text == "[Context]\nA cup.\n\n[Question]\nWhat is it?"
    assert questions.reference_messages(chat(context=None)) == (None, "What is it?")


@pytest.mark.parametrize("category", ["conv", "llava_bench_conv", "detail", "complex", "coding", "math", "default"])
def test_every_category_has_a_rule_bare_or_prefixed(category: str) -> None:
    rule = templates.ours().llava(category)
    assert rule.name == f"llava-{category.removeprefix('llava_bench_')}"
    assert rule.dimensions == llava.DIMENSIONS
    assert (rule.rules["temperature"], rule.rules["max_tokens"]) == (0.2, 1024)


def test_a_text_category_without_a_rule_has_the_default_and_a_visual_one_is_an_error() -> None:
    assert templates.ours().llava("roleplay").name == "llava-default"
    with pytest.raises(UserError, match="the category llava_bench_song has no rule"):
        templates.ours().llava("llava_bench_song")


def test_an_edit_is_judged_with_inputs_then_result_then_the_template_of_its_task() -> None:
    (question,) = about(edit("general", task="Add"), output(picture("r")))
    assert [one.digest for one in question.parts[:-1]] == ["a", "b", "r"]
    assert question.rubric.name == "cpi-add"
    assert "Add a {rationale} cat" in question.parts[-1]
    assert "Cats cast shadows" not in question.parts[-1]


def test_an_intelligent_edit_is_asked_about_one_dimension_at_a_time() -> None:
    asked = about(edit("intelligent", expert_domain="biology-cats"), output(picture("r"), language="zh"))
    assert [[d.name for d in one.rubric.dimensions] for one in asked] == [[name] for name in cpi.WEIGHTS]
    assert [one.rubric.dimensions[0].weight for one in asked] == list(cpi.WEIGHTS.values())
    assert ["Cats cast shadows." in one.parts[-1] for one in asked] == [True, False, False]
    assert all("加一只猫" in one.parts[-1] for one in asked)


@pytest.mark.parametrize("subset", ["general", "practical"])
def test_a_task_without_a_template_is_an_error_that_lists_those_there_are(subset: str) -> None:
    with pytest.raises(UserError, match=r"the task time travel has no template; .*--templates"):
        about(edit(subset, task="time travel"), output(picture("r")))


def test_task_names_are_folded() -> None:
    found = [templates.ours().cpi("general", name)[0].name for name in ("Low-level", "BG", "style transfer", "Text")]
    assert found == ["cpi-lowlevel", "cpi-background", "cpi-stylize", "cpi-text"]


def test_all_our_templates_are_on_the_suites_scale_and_have_keys_of_their_own() -> None:
    found = templates.ours().of
    assert len({rubric.key for rubric in found.values()}) == len(found)
    for rubric in found.values():
        scale = (1, 10) if rubric.name.startswith("llava") else (1, 5)
        assert {(dimension.low, dimension.high) for dimension in rubric.dimensions} == {scale}


@pytest.mark.parametrize("name", sorted(templates.ours().of))
def test_the_strict_reader_reads_the_reply_that_each_of_our_rubrics_asks_for(name: str) -> None:
    rubric = templates.ours().of[name]
    lines = "\n".join(f"{dimension.name}: 4" for dimension in rubric.dimensions)
    if rubric.rules["mode"] == "reference":
        reply, scores = ("8 7\nThe first is complete.", [8, 7])
    else:
        reply, scores = (f"There are 2 cats, as asked.\n{lines}", [4] * len(rubric.dimensions))
    found = read(reply, rubric.dimensions)
    assert found.why is None
    assert list(found.scores.values()) == scores


def test_a_persons_own_templates_are_taken_word_for_word(tmp_path: Path) -> None:
    text = "Rate <edit_prompt>.\nReasoning: A short text.\nPrompt Fit: A number from 1 to 5.\n**Looks**: <score>\n"
    (tmp_path / "general_prompts.json").write_text(json.dumps({"add": text}))
    own = templates.template_folder(tmp_path)
    (rubric,) = own.cpi("general", "add")
    assert rubric.text == text
    assert [(d.name, d.low, d.high) for d in rubric.dimensions] == [("Prompt Fit", 1, 5), ("Looks", 1, 5)]
    assert rubric.key != templates.ours().cpi("general", "add")[0].key
    (question,) = questions.cpi_questions(edit("general", task="add"), (picture("r"),), "zh", own)
    assert question.parts[-1].startswith("Rate 加一只猫.\n")
    with pytest.raises(UserError, match="the task add has no template"):
        own.cpi("practical", "add")


def test_a_persons_own_template_may_state_its_scale_in_a_head(tmp_path: Path) -> None:
    head = 'name = "mine"\nversion = 1\nmode = "grade"\n[[dimensions]]\nname = "fit"\nlow = 0\nhigh = 10\n'
    (tmp_path / "practical-id photo.md").write_text(f"+++\n{head}+++\nHow well does it fit?\n")
    (rubric,) = templates.template_folder(tmp_path).cpi("practical", "ID photo")
    assert [(d.name, d.low, d.high) for d in rubric.dimensions] == [("fit", 0, 10)]
    (question,) = questions.cpi_questions(
        edit("practical", task="ID photo"), (picture("r"),), "en", templates.template_folder(tmp_path)
    )
    assert "Add a {rationale} cat" in question.parts[-1]
    assert question.parts[-1].endswith("\n\nHow well does it fit?")


def test_own_intelligent_templates_are_matched_to_the_three_dimensions(tmp_path: Path) -> None:
    names = {
        "Knowledge Reasoning": "knowledge",
        "Visual Quality": "visual_quality",
        "Input Consistency": "input_consistency",
    }
    document = {name: f"Judge {{instruction}}.\n{name}: a number from 1.0 to 5.0" for name in names}
    (tmp_path / "intelligent_prompts.json").write_text(json.dumps(document))
    rubrics = templates.template_folder(tmp_path).cpi("intelligent", "any")
    given = zip(rubrics, (2.0, 5.0, 5.0), strict=True)
    case = cpi.case_of(
        edit("intelligent", expert_domain="biology-cats"),
        "en",
        [(rubric, {rubric.dimensions[0].name: score}) for rubric, score in given],
    )
    assert cpi.case_score("intelligent", case.scores) == 2.19


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("general.json", "[1]", "a template file is one JSON object"),
        ("general.json", '{"add": 3}', "the template of add is not text"),
        ("general.json", '{"add": "Rate it."}', "the template of add shows no line `Dimension: score`"),
        ("general.json", '{"add": "A b: number 1-5\\nC d: number 1-10"}', "on different scales"),
        ("notes.pdf", "x", "no template here"),
    ],
)
def test_a_wrong_template_file_is_named(tmp_path: Path, name: str, content: str, says: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match=says):
        templates.template_folder(tmp_path)


def test_a_reply_that_was_not_read_leaves_its_dimensions_null() -> None:
    rubrics = templates.ours().cpi("intelligent", "biology-cats")
    verdicts = [(rubrics[0], {"knowledge": 4.0}), (rubrics[1], None), (rubrics[2], {"input_consistency": 5.0})]
    case = cpi.case_of(edit("intelligent", expert_domain="biology-cats"), "zh", verdicts)
    assert case.scores == {"knowledge": 4.0, "visual_quality": None, "input_consistency": 5.0}
    assert (case.lang, case.expert_domain, case.sample_index) == ("zh", "biology-cats", 0)
