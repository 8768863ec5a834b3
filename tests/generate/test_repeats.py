import pytest

from groundswell.generate.outcomes import tally_of
from groundswell.generate.repeats import repeated, withdraw_repeated
from groundswell.records import Done, Endpoint, Failure, Job, Output, Picture, Sample, Unit, UnitState
from groundswell.stats.failures import ERROR_PICTURE
from groundswell.store.sql import open_store

HOST = Endpoint(name="host", host="openai", model="m")
BASELINE = Endpoint(name="blank", host="local", model="blank")


def picture(digest):
    return Picture(digest=digest, media_type="image/png", width=1, height=1)


def sample(prompt, *inputs):
    task = "edit" if inputs else "t2i"
    return Sample(suite="s", task=task, prompts={"en": prompt}, inputs=tuple(map(picture, inputs)))


def output(of, digest, endpoint=HOST, draw=0):
    job = Job(sample=of.key, endpoint=endpoint.key, draw=draw)
    return Output(
        job=job.key, sample=of.key, endpoint=endpoint.key, draw=draw, language="en", pictures=(picture(digest),)
    )


@pytest.mark.parametrize(
    ("first", "second", "flagged"),
    [
        (sample("a fox"), sample("a boat"), True),
        (sample("gray", "cat"), sample("gray", "dog"), True),
        (sample("gray", "cat"), sample("black and white", "cat"), False),
        (sample("a fox"), sample("a fox"), False),
    ],
)
def test_the_same_bytes_for_things_with_nothing_in_common_are_an_error_picture(first, second, flagged):
    samples = {first.key: first, second.key: second}
    outputs = [output(first, "same"), output(second, "same", draw=1)]
    assert bool(repeated(outputs, samples)) is flagged


def test_another_endpoint_may_give_the_same_bytes():
    fox, boat = sample("a fox"), sample("a boat")
    other = Endpoint(name="other", host="openai", model="n")
    outputs = [output(fox, "same"), output(boat, "same", other)]
    assert not repeated(outputs, {fox.key: fox, boat.key: boat})


def test_error_pictures_become_failures_that_are_counted_once_and_baselines_stay(tmp_path):
    store = open_store(str(tmp_path / "store.sqlite"))
    fox, boat, kite = sample("a fox"), sample("a boat"), sample("a kite")
    bad = [output(fox, "error"), output(boat, "error")]
    good = [output(kite, "kite"), output(fox, "blank", BASELINE), output(boat, "blank", BASELINE)]
    store.put([HOST, BASELINE, fox, boat, kite])
    worker = store.enlist()
    units = [
        (Unit(key=each.job, payload=None), Done(state=UnitState.DONE, records=(each,), cost=0.04))
        for each in bad + good
    ]
    store.claim("generate", [unit.key for unit, _ in units], worker)
    store.settle("generate", units)

    assert withdraw_repeated(store, {"local"}) == 2
    assert {each.key for each in store.records(Output)} == {each.key for each in good}
    assert [(each.what, each.transient, each.reason) for each in store.records(Failure)] == [
        ("provider", False, ERROR_PICTURE)
    ] * 2
    assert store.states()["generate"] == {UnitState.DONE: 3, UnitState.FAILED: 2}
    assert store.spent()[0] == pytest.approx(0.2)
    assert tally_of(store) == {"blank": {"done": 2}, "host": {"done": 1, "provider": 2}}
    assert withdraw_repeated(store, {"local"}) == 0
    store.close()


def test_a_job_that_failed_and_then_came_is_counted_as_done(tmp_path):
    store = open_store(str(tmp_path / "store.sqlite"))
    fox = sample("a fox")
    came = output(fox, "fox")
    failed = Failure(job=came.job, sample=fox.key, endpoint=HOST.key, what="timeout", reason="slow", transient=True)
    store.put([HOST, fox, failed, came])
    assert tally_of(store) == {"host": {"done": 1}}
    store.close()
