"""What a person brings in: samples as an edition, and results made elsewhere as outputs of a named model.

How files are read is known to `suites`; what the results are worth is found out later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from groundswell.errors import UserError
from groundswell.ports import Store
from groundswell.records import Edition, Endpoint, Job, Output, Picture, Record, Sample

FROM_FILE = "file"
"""Host of endpoints whose outputs came in as files."""


def edition_of(samples: Sequence[Sample], suite: str, label: str, languages: Sequence[str] = ()) -> Edition:
    """The edition that holds these samples in this order. Languages: those of the samples, where none are given."""
    spoken = languages or sorted({language for sample in samples for language in sample.prompts})
    return Edition(
        suite=suite,
        label=label,
        samples=tuple(sample.key for sample in samples),
        languages=tuple(spoken),
        licence=next((sample.licence for sample in samples if sample.licence), None),
    )


def newest(store: Store, suite: str) -> tuple[Edition, list[Sample]]:
    """The newest edition of a suite with its samples, in their order. Raises UserError when there is none."""
    editions = list(store.records(Edition))
    found = [edition for edition in editions if edition.suite == suite]
    if not found:
        known = ", ".join(sorted({edition.suite for edition in editions})) or "none yet; groundswell suite import FILE"
        raise UserError(f"there is no edition of the suite {suite}; there are: {known}")
    members = set(found[-1].samples)
    samples = {key: sample for sample in store.records(Sample) if (key := sample.key) in members}
    return found[-1], [samples[key] for key in found[-1].samples]


def endpoint_of(model: str) -> Endpoint:
    """The endpoint that stands for results of a model that came in as a file."""
    return Endpoint(name=model, host=FROM_FILE, model=model, tasks=("t2i", "edit", "chat"), service="local")


def outputs_of(
    results: Iterable[tuple[Sample, str | bytes]], model: str, language: str, keep: Callable[[bytes], Picture]
) -> list[Record]:
    """Outputs of a model from results: text as it is, bytes as a picture. `keep` stores picture bytes."""
    endpoint = endpoint_of(model)
    records: list[Record] = [endpoint]
    for sample, result in results:
        settings = {"prompt_language": language} if len(sample.prompts) > 1 else {}
        job = Job(sample=sample.key, endpoint=endpoint.key, settings=settings)
        records.append(
            Output(
                job=job.key,
                sample=job.sample,
                endpoint=job.endpoint,
                language=language,
                pictures=(keep(result),) if isinstance(result, bytes) else (),
                text=result if isinstance(result, str) else None,
            )
        )
    return records
