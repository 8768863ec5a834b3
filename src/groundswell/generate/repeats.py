"""The host's own error picture, told by its bytes: the same picture for things that have nothing in common.

Some hosts answer what they could not do with a picture that says so, and with a good status. One such output looks like
any other; the second one with the same bytes for another prompt, or for another input, gives both away. All of them are
then failures of the provider: the outputs are withdrawn from the facts, and the tombstone says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol

from groundswell.ports import Store
from groundswell.records import Endpoint, Failure, Output, Record, Sample
from groundswell.stats.failures import ERROR_PICTURE

STAGE = "generate"


class Withdrawing(Store, Protocol):
    """A store that can take facts back."""

    def forget(self, keys: Iterable[str], why: str) -> int: ...

    def overturn(self, stage: str, why: str, failures: Mapping[str, Record]) -> None: ...


def repeated(outputs: Iterable[Output], samples: Mapping[str, Sample]) -> list[Output]:
    """Outputs whose picture the same endpoint also gave for another sample that shares nothing with it.

    Two edits of one input may come out the same, and so may one prompt in two suites; different inputs, or different
    prompts without inputs, may not.
    """
    subjects: dict[tuple[str, str], set[object]] = defaultdict(set)
    found: dict[tuple[str, str], list[Output]] = defaultdict(list)
    for output in outputs:
        sample = samples.get(output.sample)
        if sample is None:
            continue
        subject = tuple(picture.digest for picture in sample.inputs) or sample.prompts.get(output.language or "en")
        for picture in output.pictures[:1]:
            subjects[output.endpoint, picture.digest].add(subject)
            found[output.endpoint, picture.digest].append(output)
    return [output for place, several in subjects.items() if len(several) > 1 for output in found[place]]


def withdraw_repeated(store: Withdrawing, here: Iterable[str]) -> int:
    """Turn error pictures into failures; gives how many. `here`: hosts in this process, whose baselines may repeat."""
    in_process = set(here)
    remote = {endpoint.key for endpoint in store.records(Endpoint) if endpoint.host not in in_process}
    outputs = [output for output in store.records(Output) if output.endpoint in remote and output.pictures]
    wanted = {output.sample for output in outputs}
    samples = {key: sample for sample in store.records(Sample) if (key := sample.key) in wanted}
    bad = repeated(outputs, samples)
    if bad:
        store.forget([output.key for output in bad], ERROR_PICTURE)
        store.overturn(STAGE, f"provider: {ERROR_PICTURE}", {output.job: _failed(output) for output in bad})
    return len(bad)


def _failed(output: Output) -> Failure:
    return Failure(
        job=output.job,
        sample=output.sample,
        endpoint=output.endpoint,
        draw=output.draw,
        language=output.language,
        started=output.started,
        seconds=output.seconds,
        observed={"digest": output.pictures[0].digest},
        what="provider",
        reason=ERROR_PICTURE,
        transient=False,
    )
