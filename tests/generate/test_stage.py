import numpy as np

from groundswell.generate.stage import Generate, Wanted
from groundswell.pictures import encode_png, facts, smaller_copy
from groundswell.records import Answer, Edition, Endpoint, Job, Refusal, Sample, Unit, UnitState
from groundswell.store.blobs import open_blobs

ENDPOINT = Endpoint(name="e", host="command", model="m", tasks=("t2i", "chat"))


async def done(tmp_path, task, answer):
    async def make(wanted):
        return answer

    sample = Sample(suite="s", task=task, prompts={"en": "a fox"})
    job = Job(sample=sample.key, endpoint=ENDPOINT.key)
    wanted = Wanted(job=job, sample=sample, endpoint=ENDPOINT, prompt="a fox", language="en")
    edition = Edition(suite="s", label="e", samples=(sample.key,))
    stage = Generate(edition, [ENDPOINT], make, open_blobs(str(tmp_path)))
    return await stage.do(Unit(key=job.key, payload=wanted))


async def test_words_are_no_output_where_a_picture_was_wanted(tmp_path):
    came = await done(tmp_path, "t2i", Answer(text="I would rather not."))
    (refusal,) = came.records
    assert (came.state, type(refusal)) == (UnitState.REFUSED, Refusal)
    assert refusal.reason == "made no picture: I would rather not."


async def test_words_are_the_output_of_a_chat(tmp_path):
    came = await done(tmp_path, "chat", Answer(text="A fox."))
    assert (came.state, came.records[0].text) == (UnitState.DONE, "A fox.")


async def test_a_picture_larger_than_people_compare_has_a_copy_of_1024_beside_it_and_stays_as_it_is(tmp_path):
    ramp = np.linspace(0, 255, 2048, dtype=np.uint8)
    large = encode_png(np.dstack([np.broadcast_to(ramp, (1024, 2048))] * 3))
    (output,) = (await done(tmp_path, "t2i", Answer(pictures=(large,)))).records
    picture, blobs = output.pictures[0], open_blobs(str(tmp_path))
    assert (picture.width, picture.height) == (2048, 1024)
    assert blobs.get(picture.digest) == large
    copy = facts(blobs.get(picture.copy))
    assert (copy.width, copy.height, copy.media_type) == (1024, 512, "image/png")
    assert smaller_copy(large) == blobs.get(picture.copy)


async def test_nothing_is_made_larger(tmp_path):
    small = encode_png(np.zeros((64, 1024, 3), np.uint8))
    (output,) = (await done(tmp_path, "t2i", Answer(pictures=(small,)))).records
    assert output.pictures[0].copy is None
