from groundswell.generate.stage import Generate, Wanted
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
