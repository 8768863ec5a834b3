"""Everything that stages need to do their units, built from the configuration once for a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from groundswell import plugins
from groundswell.config import FREE, IN_PROCESS, EndpointSettings, Host, JudgeSettings, SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace
from groundswell.ports import LocalModel, Provider
from groundswell.records import Edition, Endpoint, Output, Picture, Sample, Task

if TYPE_CHECKING:
    from groundswell.ask.asking import Desk, Question, Shown
    from groundswell.generate.chain import Chain
    from groundswell.generate.make import Makers
    from groundswell.wire.door import Wire
    from groundswell.wire.lines import Line


IMAGINED = "x" * 3000
"""Stands for a reference answer that is still to be made, where only counts and prices are wanted."""


class Crew:
    """Endpoints, judges and questions of a workspace, with the way to each."""

    def __init__(self, space: Workspace, wire: Wire, *, asks: bool = True) -> None:
        """`asks`: somebody will be asked, so every key must be set; else the way to a host is built without keys."""
        self.space = space
        self.wire = wire
        self._asks = asks
        self.endpoints = [self._record(endpoint) for endpoint in space.config.file.endpoint]
        there = {endpoint.key for endpoint in self.endpoints}
        baselines = [_baseline(name) for name in space.config.file.panel.baselines]
        self.endpoints += [baseline for baseline in baselines if baseline.key not in there]

    def makers(self, edition: Edition | None = None, only: str | None = None) -> Makers:
        """How each endpoint is asked for an output of an edition; None = for a sample of no edition. `only`: for one
        endpoint, so that the keys of the others need not be set."""
        from groundswell.generate.make import Makers

        names = {each.name for each in self.endpoints} if only is None else {only, *self._halves(only)}
        here = [each for each in self.endpoints if each.host in IN_PROCESS and each.name in names]
        local = {each.name: self._local(each, edition) for each in here}
        configured = [each for each in self.space.config.file.endpoint if each.name in names]
        hosts = {each.name: self.reached(each) for each in configured if each.host not in {*IN_PROCESS, "chain"}}
        makers = Makers(self.space.blobs, self.wire, local=local, hosts=hosts)
        makers.chains |= {each.name: self._chain(each, makers) for each in configured if each.host == "chain"}
        return makers

    def _record(self, settings: EndpointSettings) -> Endpoint:
        """The endpoint; of a chain with the keys of its halves, because another writer is another model."""
        endpoint = settings.record()
        if settings.host != "chain":
            return endpoint
        halves = {half: self._host(str(settings.settings[half])).record().key for half in ("writer", "painter")}
        return msgspec.structs.replace(endpoint, settings={**endpoint.settings, "keys": halves})

    def _halves(self, name: str) -> list[str]:
        settings = next((each for each in self.space.config.file.endpoint if each.name == name), None)
        if settings is None or settings.host != "chain":
            return []
        return [str(settings.settings[half]) for half in ("writer", "painter")]

    def _host(self, name: str) -> EndpointSettings | JudgeSettings:
        file = self.space.config.file
        hosts: tuple[EndpointSettings | JudgeSettings, ...] = (*file.endpoint, *file.judge)
        return next(host for host in hosts if host.name == name)

    def _chain(self, settings: EndpointSettings, makers: Makers) -> Chain:
        from groundswell.generate.chain import INSTRUCTION, Chain, Writer

        writer, painter = (self._host(str(settings.settings[half])) for half in ("writer", "painter"))
        provider, line = self.reached(writer)
        instruction = str(settings.settings.get("instruction", INSTRUCTION))
        way = Writer(writer.record(), provider, line)
        return Chain(self.wire, way, painter.record(), makers, instruction=instruction)

    def _local(self, endpoint: Endpoint, edition: Edition | None) -> LocalModel:
        from groundswell.providers import local

        if endpoint.host == "command":
            from groundswell.providers.command import Command

            return Command(endpoint, self.space.config.folder)
        if endpoint.host == "diffusers":
            from groundswell.providers.diffusion import Diffusion

            return Diffusion(endpoint)
        if endpoint.model in plugins.names("local_model"):
            model: LocalModel = plugins.load("local_model", endpoint.model)()
            return model
        return local.make(endpoint.model, () if edition is None else _FirstInputs(self.space, edition))

    def reached(self, host: Host) -> tuple[Provider, Line]:
        """The dialect of a host and the way to it. Raises UserError for an unset key or an unknown host."""
        from groundswell.providers.published import Settled
        from groundswell.wire.keys import Key
        from groundswell.wire.lines import Limits, Line

        dialect: Provider = plugins.load("provider", host.host)()
        base = host.base_url or getattr(dialect, "base_url", None)
        if base is None:
            raise UserError(f"{host.name} needs a base_url", where=self.space.config.path)
        secrets = self.space.config.secrets(host) if self._asks else ()
        keys = tuple(Key(name, secret, host.key_group) for name, secret in secrets)
        limits = Limits(
            concurrency=host.limits.concurrency,
            per_minute=host.limits.per_minute,
            timeout=host.limits.timeout,
            deadline=host.limits.deadline,
        )
        return Settled(dialect), Line(name=host.name, base_url=base, keys=keys, limits=limits)

    def judge(self, name: str) -> Desk:
        """A configured judge, ready to be asked."""
        from groundswell.ask.asking import Desk

        judges = {judge.name: judge for judge in self.space.config.file.judge}
        if name not in judges:
            raise UserError(f"there is no [[judge]] named {name}", where=self.space.config.path)
        provider, line = self.reached(judges[name])
        return Desk(self.wire, provider, judges[name].record(), line)

    def desks(self) -> list[Desk]:
        """The judges of the panel."""
        return [self.judge(name) for name in self.space.config.file.panel.judges]

    def questions(self, suite: SuiteSettings) -> Callable[[Sample, Output], Sequence[Question]]:
        """What judges are asked about an output of a suite, every picture with its role."""
        from groundswell.ask.asking import Question
        from groundswell.suites import asking
        from groundswell.suites.declined import FLAG, is_declined

        referring, references = self._references(suite)

        templates = asking.templates_of(
            suite.name, rules=self.space.file(suite.rules), folder=self.space.file(suite.templates)
        )

        def questions(sample: Sample, output: Output) -> list[Question]:
            reference = references.get(output.sample, None if self._asks else IMAGINED)
            if output.endpoint == referring or (referring and reference is None):
                return []  # a reference is not graded, and what has none yet waits for it
            return [
                Question(
                    rubric=asked.rubric,
                    sample=output.sample,
                    outputs=(output.key,),
                    text="",
                    system=asked.system,
                    flags=(FLAG,) if output.text is not None and is_declined(output.text) else (),
                    parts=tuple(with_roles(asked.parts, len(sample.inputs))),
                )
                for asked in asking.questions(suite.name, sample, output, templates, reference if referring else None)
            ]

        return questions

    def _references(self, suite: SuiteSettings) -> tuple[str | None, dict[str, str]]:
        """Key of the endpoint that makes a suite's reference answers, and these answers by sample."""
        from groundswell.generate.reference import reference_endpoint

        if suite.reference is None:
            return None, {}
        key = reference_endpoint(self.judge(suite.reference).endpoint).key
        outputs = (output for output in self.space.store.records(Output) if output.endpoint == key)
        return key, {output.sample: output.text for output in outputs if output.text is not None}


def with_roles(parts: Sequence[str | Picture], inputs: int) -> Iterator[str | Shown]:
    """Parts of a question with the role of every picture: the first `inputs` pictures, then the results.

    By place and not by content: a result may be a copy of an input, and must still be shown as the result.
    """
    from groundswell.ask.asking import Shown

    pictures = 0
    for part in parts:
        if isinstance(part, str):
            yield part
            continue
        pictures += 1
        yield Shown(f"input picture {pictures}" if pictures <= inputs else "result", part)


class _FirstInputs(Sequence[bytes]):
    """First inputs of an edition's samples; their bytes are loaded when they are looked at."""

    def __init__(self, space: Workspace, edition: Edition) -> None:
        members = set(edition.samples)
        self._blobs = space.blobs
        digests = (
            sample.inputs[0].digest for sample in space.store.records(Sample) if sample.inputs and sample.key in members
        )
        self._digests = list(dict.fromkeys(digests))

    def __len__(self) -> int:
        return len(self._digests)

    def __getitem__(self, index: int) -> bytes:  # type: ignore[override]  # nobody slices it
        return self._blobs.get(self._digests[index])


def _baseline(name: str) -> Endpoint:
    tasks: tuple[Task, ...] = ("edit", "t2i")
    return Endpoint(name=name, host="local", model=name, tasks=tasks, service="local", family="baseline", price=FREE)
