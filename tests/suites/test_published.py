"""Prompt sets of published benchmarks become samples; what a sample has no place for is counted."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from groundswell.errors import UserError
from groundswell.suites import registry
from groundswell.suites.sources import Options

GENEVAL = [
    {"tag": "single_object", "include": [{"class": "bench", "count": 1}], "prompt": "a photo of a bench"},
    {
        "tag": "counting",
        "include": [{"class": "clock", "count": 2}],
        "exclude": [{"class": "clock", "count": 3}],
        "prompt": "a photo of two clocks",
    },
    {
        "tag": "position",
        "include": [
            {"class": "dog", "count": 1, "color": "red"},
            {"class": "cup", "count": 1, "position": ["right of", 0]},
        ],
        "prompt": "a photo of a cup right of a red dog",
    },
]


def jsonl(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(path: Path, shelf, **options: object) -> list:
    return list(registry.load(registry.detect(path), path, shelf.keep, Options(**options)))


def test_geneval_keeps_its_conditions_and_only_exact_numbers_become_checks(tmp_path: Path, shelf) -> None:
    path = jsonl(tmp_path / "evaluation_metadata.jsonl", GENEVAL)
    assert registry.detect(path) == "geneval"
    bench, clocks, cup = read(path, shelf)
    assert (bench.label, bench.task, bench.checks) == ("00000", "t2i", ())
    assert [(check.name, check.args) for check in clocks.checks] == [("objects", {"label": "clock", "count": 2})]
    assert cup.tags["include"] == GENEVAL[2]["include"]
    assert registry.not_carried("geneval", path) == {
        "that a thing is there: no check measures presence (tags.include)": 2,
        "the colour of a thing: no check measures it (tags.include)": 1,
        "where a thing is: no check measures it (tags.include)": 1,
    }


def test_imgedit_names_the_pictures_that_are_not_at_hand(tmp_path: Path, shelf, photographs: list[bytes]) -> None:
    (tmp_path / "animal").mkdir()
    (tmp_path / "animal" / "1.jpg").write_bytes(photographs[0])
    entries = {
        "1082": {"id": "animal/1.jpg", "prompt": "Make the shell smooth.", "edit_type": "adjust"},
        "7": {"id": "animal/2.jpg", "prompt": "Remove the cup."},
    }
    path = tmp_path / "basic_edit.json"
    path.write_text(json.dumps(entries))
    here, away = read(path, shelf)
    assert (here.label, here.task, here.tags) == ("1082", "edit", {"capability": "adjust", "category": "animal"})
    assert shelf[here.inputs[0].digest] == photographs[0]
    assert away.not_runnable == "the picture animal/2.jpg is not at hand"


def test_pictures_of_a_set_may_lie_in_a_folder_that_the_person_names_and_nowhere_else(
    tmp_path: Path, shelf, photographs: list[bytes]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "1.jpg").write_bytes(photographs[0])
    (tmp_path / "secret.jpg").write_bytes(photographs[1])
    path = tmp_path / "basic_edit.json"
    path.write_text(json.dumps({"a": {"id": "1.jpg", "prompt": "Make it gray."}}))
    assert read(path, shelf, pictures=tmp_path / "elsewhere")[0].inputs
    path.write_text(json.dumps({"a": {"id": "../secret.jpg", "prompt": "Make it gray."}}))
    with pytest.raises(UserError, match=r"entry a: .*is a file outside"):
        read(path, shelf, pictures=tmp_path / "elsewhere")


def test_gedit_takes_the_raw_picture_and_the_language_of_its_row(
    tmp_path: Path, shelf, photographs: list[bytes]
) -> None:
    small = io.BytesIO()
    Image.open(io.BytesIO(photographs[0])).resize((16, 16)).save(small, "PNG")
    rows = [
        {
            "key": "4c30",
            "task_type": "color_alter",
            "instruction": text,
            "instruction_language": language,
            "input_image": {"bytes": small.getvalue(), "path": None},
            "input_image_raw": {"bytes": photographs[0], "path": None},
            "Intersection_exist": True,
        }
        for language, text in (("en", "Make it red"), ("cn", "变成红色"))
    ]
    path = tmp_path / "gedit.parquet"
    pl.DataFrame(rows).write_parquet(path)
    english, chinese = read(path, shelf)
    assert registry.detect(path) == "gedit"
    assert (english.label, english.prompts) == ("4c30-en", {"en": "Make it red"})
    assert (chinese.label, chinese.prompts) == ("4c30-zh", {"zh": "变成红色"})
    assert shelf[english.inputs[0].digest] == photographs[0]
    assert registry.not_carried("gedit", path) == {"the resized copy of the picture (input_image)": 2}


def test_risebench_keeps_its_reference_text_and_counts_its_reference_pictures(
    tmp_path: Path, shelf, photographs: list[bytes]
) -> None:
    for name in ("1.png", "2_1.png", "2_2.png"):
        (tmp_path / name).write_bytes(photographs[0])
    rows = [
        {
            "index": "temporal_1",
            "category": "temporal",
            "instruction": "A year later",
            "image": "1.png",
            "reference": "rotten",
        },
        {
            "index": "causal_2",
            "category": "causal",
            "task_type": "physics",
            "instruction": "After it falls",
            "instruction_chinese": "落下之后",
            "image": ["2_1.png", "2_2.png"],
            "reference_img": "2_ref.png",
        },
    ]
    path = tmp_path / "data.json"
    path.write_text(json.dumps(rows))
    first, second = read(path, shelf)
    assert registry.detect(path) == "risebench"
    assert (first.label, first.reference, first.tags["capability"]) == ("temporal_1", "rotten", "temporal")
    assert (len(second.inputs), second.prompts["zh"], second.tags["task_type"]) == (2, "落下之后", "physics")
    assert registry.not_carried("risebench", path) == {"the column reference_img": 1}


def test_the_questions_of_dpg_are_what_only_the_judge_may_read(tmp_path: Path, shelf) -> None:
    path = tmp_path / "dpg_bench.csv"
    head = "item_id,text,keywords,proposition_id,dependency,category_broad,category_detailed,tuple,"
    head += "question_natural_language\n"
    rows = [
        'p1,"Two cats, one hat",x,1,0,entity,whole,"entity - whole (cats)",Are there cats?\n',
        'p1,"Two cats, one hat",x,2,1,attribute,number,"number (cats, 2)",Are there two cats?\n',
        "p2,A hat,,1,0,entity,whole,hat,Is there a hat?\n",
    ]
    path.write_text(head + "".join(rows))
    cats, hat = read(path, shelf)
    assert (registry.detect(path), cats.label, cats.prompts["en"]) == ("dpg", "p1", "Two cats, one hat")
    assert cats.context == "Are there cats?\nAre there two cats?"
    assert hat.tags["categories"] == ["entity"]
    assert registry.not_carried("dpg", path)["the column tuple"] == 2


def test_a_quotation_mark_between_tabs_is_a_letter(tmp_path: Path, shelf) -> None:
    path = tmp_path / "PartiPrompts.tsv"
    path.write_text('Prompt\tCategory\tChallenge\tNote\n"GIGGLE" in thick letters\tArtifacts\tWriting\tfun\n')
    (sample,) = read(path, shelf)
    assert (registry.detect(path), sample.prompts["en"]) == ("parti", '"GIGGLE" in thick letters')


def test_a_table_of_prompts_of_no_known_set_is_named_after_its_file_and_keeps_its_cells(tmp_path: Path, shelf) -> None:
    path = jsonl(tmp_path / "mine.jsonl", [{"id": "a", "prompt": "A kite", "mood": "calm", "parts": [1, 2]}])
    (sample,) = read(path, shelf)
    assert (sample.suite, sample.label, sample.tags) == ("mine", "a", {"row": {"mood": "calm"}})
    assert registry.not_carried("table", path) == {"the column parts": 1}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": "a", "suite": "mine", "task": "t2i", "prompt": "A kite"}, "none of a suite's"),
        ({"question_id": 1, "prompt": "Q", "text": "an answer", "answer_id": "x"}, "these are results"),
    ],
)
def test_misspelt_rows_of_ones_own_and_answers_are_not_taken_for_prompts(tmp_path: Path, row: dict, words: str) -> None:
    with pytest.raises(UserError, match=words):
        registry.detect(jsonl(tmp_path / "x.jsonl", [row]))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([GENEVAL[0], {"tag": "x", "include": [{}], "prompt": "p"}], r"x\.jsonl:2: this row is not one of geneval"),
        ([GENEVAL[0] | {"prompt": " "}], r"x\.jsonl:1: this row has no prompt"),
    ],
)
def test_a_row_that_is_not_as_its_set_has_them_is_named(tmp_path: Path, shelf, rows: list, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read(jsonl(tmp_path / "x.jsonl", rows), shelf)


def test_a_data_set_that_was_saved_to_disk_is_a_suite_without_the_network(
    tmp_path: Path, shelf, photographs: list[bytes]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"id": datasets.Value("string"), "prompt": datasets.Value("string"), "image": datasets.Image()}
    )
    rows = [
        {"id": str(n), "prompt": f"Make it {n}", "image": {"bytes": photographs[n], "path": None}} for n in range(3)
    ]
    whole = datasets.DatasetDict({"train": datasets.Dataset.from_list(rows, features=features)})
    whole.save_to_disk(str(tmp_path / "kites"))
    first, *_ = samples = read(tmp_path / "kites", shelf)
    assert [(sample.suite, sample.label, sample.task) for sample in samples] == [
        ("kites", str(n), "edit") for n in range(3)
    ]
    assert shelf[first.inputs[0].digest] == photographs[0]


def test_a_cell_of_a_strangers_data_set_cannot_name_a_picture_of_this_disk(
    tmp_path: Path, shelf, photographs: list[bytes]
) -> None:
    (tmp_path / "secret.jpg").write_bytes(photographs[0])
    (tmp_path / "set").mkdir()
    cell = {"bytes": None, "path": str(tmp_path / "secret.jpg")}
    frame = pl.DataFrame(
        {"prompt": ["Show it"], "image": [cell]},
        schema={"prompt": pl.String, "image": pl.Struct({"bytes": pl.Binary, "path": pl.String})},
    )
    frame.write_parquet(tmp_path / "set" / "rows.parquet")
    with pytest.raises(UserError, match=r"row 0: .*is a file outside"):
        read(tmp_path / "set" / "rows.parquet", shelf)


@pytest.mark.parametrize("name", ["mine/rows.jsonl", "nowhere/rows.parquet"])
def test_a_mistyped_path_is_not_looked_up_on_the_hub(name: str) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        registry.detect(Path(name))


@pytest.mark.parametrize("name", ["kite.txt", "kite.jpg"])
def test_a_link_in_a_folder_of_prompts_cannot_lead_out_of_it(
    tmp_path: Path, shelf, photographs: list[bytes], name: str
) -> None:
    (tmp_path / "secret.txt").write_text("my diary")
    (tmp_path / "secret.jpg").write_bytes(photographs[0])
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "kite.txt").write_text("Make it gray")
    (tmp_path / "set" / name).unlink(missing_ok=True)
    (tmp_path / "set" / name).symlink_to(tmp_path / f"secret{Path(name).suffix}")
    with pytest.raises(UserError, match=r"kite\.txt: .*is a file outside"):
        read(tmp_path / "set", shelf)
    assert len(read(tmp_path / "set", shelf, outside=True)) == 1


@pytest.mark.parametrize(
    ("prompt", "fault"), [(None, "has no prompt"), (["a"], "a prompt is a text"), (5, "is a text")]
)
def test_a_prompt_that_is_no_text_is_refused_with_its_line(tmp_path: Path, shelf, prompt: object, fault: str) -> None:
    path = jsonl(tmp_path / "evaluation_metadata.jsonl", [GENEVAL[0], {**GENEVAL[0], "prompt": prompt}])
    with pytest.raises(UserError, match=f":2: .*{fault}"):
        read(path, shelf)
