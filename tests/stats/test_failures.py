from datetime import UTC, datetime, timedelta

from groundswell.records import Blocked, Failure, Output, Refusal, Timing
from groundswell.stats.failures import ERROR_PICTURE, failure_rows

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
NAMES = {"a-key": "a", "b-key": "b"}


def failed(job, *, what="provider", reason="500: no", hour=0, endpoint="a-key"):
    started = NOON + timedelta(hours=hour)
    return Failure(job=job, sample="s", endpoint=endpoint, started=started, what=what, reason=reason, transient=True)


def row_of(records, kind):
    return next(row for row in failure_rows(records, NAMES) if row.kind == kind)


def test_a_job_that_failed_twice_in_one_way_counts_once_and_its_latest_words_are_the_example():
    row = row_of([failed("1"), failed("1", reason="503: busy", hour=2), failed("2", hour=1)], "provider")
    assert (row.endpoint, row.stage, row.count, row.mended) == ("a", "generate", 2, 0)
    assert (row.first, row.last) == (NOON, NOON + timedelta(hours=2))
    assert row.example == "503: busy"


def test_what_a_later_try_did_bring_is_said_to_be_mended():
    output = Output(job="1", sample="s", endpoint="a-key", text="here")
    row = row_of([failed("1", what="timeout"), output, failed("2", what="timeout")], "timeout")
    assert (row.count, row.mended) == (2, 1)


def test_refusals_error_pictures_and_failures_of_measurements_have_rows_of_their_own():
    records = [
        Refusal(job="1", sample="s", endpoint="a-key", started=NOON, reason="no"),
        failed("2", reason=ERROR_PICTURE),
        Timing(endpoint="b-key", start=NOON, failure="refused: no"),
        Timing(endpoint="b-key", start=NOON + timedelta(hours=1), failure="decode: no picture"),
        Timing(endpoint="b-key", start=NOON + timedelta(hours=2), seconds=1.0),
        Blocked(outputs=("o",), judge="j@1", rubric="r", sample="s", why="unsafe"),
    ]
    assert [(row.endpoint, row.stage, row.kind, row.count) for row in failure_rows(records, NAMES)] == [
        ("a", "generate", "refusal", 1),
        ("a", "generate", "repeated error picture", 1),
        ("b", "probe", "refusal", 1),
        ("b", "probe", "decode", 1),
        ("j@1", "judge", "blocked", 1),
    ]


def test_the_order_of_the_records_does_not_matter_and_endpoints_without_a_name_are_left_out():
    records = [failed("1"), failed("2", hour=3), failed("3", endpoint="gone"), failed("4", what="download")]
    assert failure_rows(records, NAMES) == failure_rows(records[::-1], NAMES)
    assert {row.endpoint for row in failure_rows(records, NAMES)} == {"a"}


def test_a_verdict_carries_no_time_and_none_is_made_up():
    row = row_of([Blocked(outputs=("o",), judge="j@1", rubric="r", sample="s", why="unsafe")], "blocked")
    assert (row.first, row.last, row.example) == (None, None, "unsafe")
