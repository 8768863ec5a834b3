"""Published sets become samples: LLaVA-Bench from JSONL, CPI-Bench from Parquet and from `datasets`."""

from __future__ import annotations

import base64
import json
import warnings
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

from groundswell.errors import UserError
from groundswell.suites import cpi_sets, llava_sets
from groundswell.suites.sources import Options


def rows(path: Path, *found: dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")
    return path


@pytest.fixture
def wild(tmp_path: Path, photographs: list[bytes]) -> Path:
    """A folder in the shape of LLaVA-Bench in the wild: three questions about two pictures, one picture at hand."""
    folder = tmp_path / "wild"
    rows(
        folder / "questions.jsonl",
        {"question_id": 0, "image": "a.jpg", "text": "Who is it?", "category": "conv"},
        {"question_id": 1, "image": "b.jpg", "text": "Describe it.", "category": "llava_bench_detail"},
        {"question_id": 2, "image": "a.jpg", "text": "Why?", "category": "complex"},
    )
    rows(
        folder / "context.jsonl",
        {"id": "a", "image": "a.jpg", "caption": ["An astronaut.", "She smiles."]},
        {"id": "b", "image": "b.jpg", "caption": "A cup of coffee."},
    )
    rows(folder / "answers_gpt4.jsonl", {"question_id": 0, "text": "An astronaut.", "answer_id": "x", "prompt": "?"})
    (folder / "images").mkdir()
    (folder / "images" / "a.jpg").write_bytes(photographs[0])
    return folder


def test_questions_meet_their_context_reference_and_picture(wild: Path, shelf) -> None:
    first, second, third = llava_sets.samples(wild, shelf.keep)
    assert first.prompts == {"en": "Who is it?"}
    assert first.context == "An astronaut.\nShe smiles."
    assert first.reference == "An astronaut."
    assert [picture.media_type for picture in first.inputs] == ["image/jpeg"]
    assert third.reference is None
    categories = [sample.tags["category"] for sample in (first, second, third)]
    assert categories == ["llava_bench_conv", "llava_bench_detail", "llava_bench_complex"]
    assert len(shelf) == 1


def test_a_question_without_its_picture_says_so_and_stays(wild: Path, shelf) -> None:
    samples = list(llava_sets.samples(wild, shelf.keep))
    assert [sample.not_runnable for sample in samples] == [None, "the picture b.jpg is not at hand", None]


def test_pictures_can_lie_elsewhere(wild: Path, shelf, tmp_path: Path, photographs: list[bytes]) -> None:
    (tmp_path / "b.jpg").write_bytes(photographs[1])
    samples = llava_sets.samples(wild, shelf.keep, Options(pictures=tmp_path))
    assert [sample.label for sample in samples if sample.not_runnable is None] == ["1"]


def test_coco_contexts_list_captions_then_boxes(tmp_path: Path, shelf) -> None:
    rows(tmp_path / "q.jsonl", {"question_id": 0, "image": "7.jpg", "text": "What?", "category": "conv"})
    boxes = [{"category": "cup", "bbox": [0.1, 0, 0.5, 1]}, {"category": "cat", "bbox": [0.25, 0.5, 0.75, 0.875]}]
    rows(tmp_path / "caps.jsonl", {"id": "7", "image": "7.jpg", "captions": ["A cup.", "A cat."], "instances": boxes})
    (sample,) = llava_sets.samples(tmp_path, shelf.keep)
    assert sample.context == "A cup.\nA cat.\n\ncup: [0.1, 0, 0.5, 1]\ncat: [0.25, 0.5, 0.75, 0.875]"
    assert sample.tags["category"] == "conv"


def test_text_only_questions_need_neither_picture_nor_context(tmp_path: Path, shelf) -> None:
    path = rows(tmp_path / "q.jsonl", {"question_id": 5, "text": "1 + 1?", "category": "math"})
    (sample,) = llava_sets.samples(path, shelf.keep)
    assert (sample.inputs, sample.context, sample.not_runnable) == ((), None, None)


@pytest.mark.parametrize(
    ("file", "row", "says"),
    [
        ("questions.jsonl", {"question_id": 0, "image": "a.jpg", "text": "?"}, "question 0 stands twice"),
        (
            "questions.jsonl",
            {"question_id": 9, "image": "z.jpg", "text": "?"},
            "no context describes its picture z.jpg",
        ),
        ("context.jsonl", {"id": "a", "caption": "again"}, "the picture a is described twice"),
        ("answers_gpt4.jsonl", {"question_id": 0, "text": "else", "answer_id": "y"}, "question 0 is answered twice"),
        ("questions.jsonl", {"question_id": 9}, "missing required field `text`"),
    ],
)
def test_a_fault_of_a_llava_set_is_named_with_file_and_line(wild: Path, shelf, file: str, row: dict, says: str) -> None:
    with (wild / file).open("a") as stream:
        stream.write(json.dumps(row) + "\n")
    with pytest.raises(UserError) as caught:
        list(llava_sets.samples(wild, shelf.keep))
    assert f"{file}:" in str(caught.value)
    assert says in str(caught.value)


def test_a_picture_file_that_is_none_is_named_with_the_row(wild: Path, shelf) -> None:
    (wild / "images" / "a.jpg").write_text("<html>not found</html>")
    with pytest.raises(UserError, match=r"questions\.jsonl:1: its picture cannot be read"):
        list(llava_sets.samples(wild, shelf.keep))


# --- CPI-Bench ----------------------------------------------------------------------------------------------------


def cpi_row(index: int, source: list, **columns: object) -> dict:
    row = {
        "id": f"s{index}",
        "task": "add",
        "a_to_b_instructions": "加一只猫",
        "a_to_b_instructions_eng": "Add a cat",
        "target_resolution": "1024x768",
        "source": source,
    }
    return row | columns


def parquet(path: Path, *found: dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(found, strict=False).write_parquet(path)
    return path


def test_a_parquet_row_becomes_a_bilingual_sample_with_its_licence(tmp_path: Path, shelf, photographs) -> None:
    cells = [{"bytes": data, "path": None} for data in photographs[:2]]
    path = parquet(tmp_path / "CPI_general_benchmark-0.parquet", cpi_row(0, cells))
    (sample,) = cpi_sets.samples(path, "general", shelf.keep)
    assert sample.prompts == {"zh": "加一只猫", "en": "Add a cat"}
    assert sample.tags == {"subset": "general", "sample_index": 0, "task": "add"}
    assert sample.size == (1024, 768)
    assert [shelf[picture.digest] for picture in sample.inputs] == photographs[:2]
    licences = [sample.licence, *(picture.licence for picture in sample.inputs)]
    assert all(one.id == "CC-BY-NC-ND-4.0" and not one.redistribute and not one.derivatives for one in licences)


@pytest.mark.parametrize("shape", ["struct", "bytes", "base64", "data url"])
def test_source_pictures_may_be_stored_in_every_usual_way(tmp_path: Path, shelf, photographs, shape: str) -> None:
    data = photographs[3]
    text = base64.b64encode(data).decode()
    cells = {
        "struct": {"bytes": data, "path": "x.png"},
        "bytes": data,
        "base64": text,
        "data url": f"data:image/png;base64,{text}",
    }
    path = parquet(tmp_path / "x.parquet", cpi_row(0, [cells[shape]]))
    (sample,) = cpi_sets.samples(path, "general", shelf.keep)
    assert [shelf[picture.digest] for picture in sample.inputs] == [data]


def test_sample_index_counts_over_the_files_of_a_subset(tmp_path: Path, shelf, photographs) -> None:
    for name, first, count in [("general-0", 0, 40), ("general-1", 40, 2), ("practical-0", 0, 2)]:
        parquet(tmp_path / f"CPI_{name}.parquet", *(cpi_row(first + n, [photographs[n % 4]]) for n in range(count)))
    samples = list(cpi_sets.samples(tmp_path, "general", shelf.keep))
    assert [(one.tags["sample_index"], one.label) for one in samples] == [(n, f"s{n}") for n in range(42)]
    assert [one.tags["sample_index"] for one in cpi_sets.samples(tmp_path, "practical", shelf.keep)] == [0, 1]


def test_an_intelligent_row_has_domain_subtask_and_a_rationale_for_the_judge(
    tmp_path: Path, shelf, photographs
) -> None:
    shape = {"expert_domain": "physics-optics", "task": None}
    first = cpi_row(0, [photographs[0]], rationale="Light bends.", **shape)
    path = parquet(tmp_path / "i.parquet", first, cpi_row(1, [photographs[0]], rationale="", **shape))
    one, two = cpi_sets.samples(path, "intelligent", shelf.keep, Options(languages=("en",)))
    assert one.context == "Light bends."
    assert two.context is None
    assert one.prompts == {"en": "Add a cat"}
    assert one.tags == {
        "subset": "intelligent", "sample_index": 0, "expert_domain": "physics-optics", "domain": "physics",
        "subtask": "optics",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"id": "s0"}, "row 1: the id s0 stands already in row 0"),
        ({"id": None}, "row 1 has no id"),
        ({"task": None}, "row 1 has no task"),
        ({"a_to_b_instructions": "", "a_to_b_instructions_eng": None}, "row 1 has no instruction"),
        ({"source": [b"no picture"]}, "row 1, picture 0: its picture cannot be read"),
    ],
)
def test_a_fault_of_a_parquet_row_is_named_with_file_and_row(
    tmp_path: Path, shelf, photographs, columns: dict, says: str
) -> None:
    path = parquet(tmp_path / "x.parquet", cpi_row(0, [photographs[0]]), cpi_row(1, [photographs[0]]) | columns)
    with pytest.raises(UserError) as caught:
        list(cpi_sets.samples(path, "general", shelf.keep))
    assert str(caught.value).startswith(f"{path}: {says}")


def test_a_file_that_is_no_parquet_or_lacks_a_column_is_named(tmp_path: Path, shelf) -> None:
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        list(cpi_sets.samples(torn, "general", shelf.keep))
    other = parquet(tmp_path / "other.parquet", {"id": 1, "sources": []})
    with pytest.raises(UserError, match=r"source \(is it sources\?\)"):
        list(cpi_sets.samples(other, "general", shelf.keep))


def test_a_parquet_file_without_rows_is_an_error(tmp_path: Path, shelf, photographs) -> None:
    pl.DataFrame([cpi_row(0, [photographs[0]])], strict=False).clear().write_parquet(tmp_path / "x.parquet")
    with pytest.raises(UserError, match="this file has no rows"):
        list(cpi_sets.samples(tmp_path / "x.parquet", "general", shelf.keep))


def test_a_row_without_pictures_cannot_be_run(tmp_path: Path, shelf, photographs) -> None:
    path = parquet(tmp_path / "x.parquet", cpi_row(0, [photographs[0]]), cpi_row(1, []))
    assert [one.not_runnable for one in cpi_sets.samples(path, "general", shelf.keep)] == [
        None,
        "it has no source picture",
    ]


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("1024x768", (1024, 768)),
        ("1024*768", (1024, 768)),
        ([512, 512], (512, 512)),
        ("16:9", None),
        ("2K", None),
        (None, None),
    ],
)
def test_a_resolution_is_read_where_it_names_pixels(value: object, size: tuple | None) -> None:
    assert cpi_sets.resolution(value) == size


@pytest.fixture(scope="module")
def datasets() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("datasets")


@pytest.fixture
def published(tmp_path: Path, photographs, datasets: ModuleType) -> Path:
    """A folder in the layout of a data set repository: a configuration named general, and the same saved to disk."""
    found = [cpi_row(n, [{"bytes": data, "path": None}]) for n, data in enumerate(photographs)]
    columns = {name: datasets.Value("string") for name in found[0] if name != "source"}
    features = datasets.Features(columns | {"source": datasets.List(datasets.Image())})
    table = datasets.Dataset.from_list(found, features=features)
    table.save_to_disk(tmp_path / "saved")
    table.to_parquet(tmp_path / "repository" / "general.parquet")
    card = "configs:\n- config_name: general\n  data_files: general.parquet\n"
    (tmp_path / "repository" / "README.md").write_text(f"---\n{card}---\n")
    return tmp_path


def test_the_hubs_package_gives_the_same_samples_as_the_parquet_file(
    published: Path, shelf, photographs, datasets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", published / "cache")
    plain = list(cpi_sets.samples(published / "repository" / "general.parquet", "general", shelf.keep))
    saved = list(cpi_sets.samples(published / "saved", "general", shelf.keep))
    loaded = list(cpi_sets.hub_samples(str(published / "repository"), "general", shelf.keep))
    assert [one.key for one in plain] == [one.key for one in saved] == [one.key for one in loaded]
    assert [shelf[one.inputs[0].digest] for one in loaded] == photographs


def test_a_data_set_that_is_not_there_is_an_error(tmp_path: Path, shelf, datasets: ModuleType) -> None:
    with pytest.raises(UserError, match="the data set cannot be loaded"):
        list(cpi_sets.hub_samples(str(tmp_path / "nothing"), "general", shelf.keep))
