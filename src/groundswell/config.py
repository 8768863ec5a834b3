"""The workspace file `groundswell.toml` and the environment, as one frozen Config.

Strict: an unknown key is an error that names the nearest known one, with file and line. Secrets stand in the file only
as `env:NAME`; what is kept here is the variable's name, and its value is looked up when it is needed. What the host
names mean is known to `plugins`, not here.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
import types
from collections.abc import Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from groundswell.errors import UserError
from groundswell.files import read_text
from groundswell.records import Endpoint, Json, Price, Task

FILE_NAME = "groundswell.toml"
ENV_PREFIX = "env:"

SECRET_NAME = re.compile(r"api_?key|secret|password|authorization|access_?token|bearer", re.IGNORECASE)
"""Names of settings that are secrets: what stands in settings goes into the store and onto the site."""


NATIVE_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def pin_native_threads() -> None:
    """One thread for each native runtime that loads from now on, unless the person has said otherwise.

    Units of work run side by side already; numerical libraries that each start a thread a core only wait for each
    other (measured: three times the CPU for the same checks on two cores).
    """
    for variable in NATIVE_THREADS:
        os.environ.setdefault(variable, "1")


def forbid_core_dumps() -> None:
    """From now on a crash of this process writes no image of its memory, in which its secrets would stand."""
    try:
        import resource
    except ImportError:  # Windows has neither the module nor such images
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the workspace file."""


class WorkspaceSettings(Settings, frozen=True, kw_only=True):
    """Where facts and pictures live; relative paths are relative to the workspace file."""

    store: str = "groundswell.sqlite"
    """A file, or postgresql://USER@HOST/DATABASE."""
    blobs: str = "blobs"
    """A folder, or s3://BUCKET/PREFIX, gs://BUCKET/PREFIX."""


class Limits(Settings, frozen=True, kw_only=True):
    """What a host allows us."""

    concurrency: int = 16
    """Requests under way at once, at most; fewer while the host says that it is too much."""
    per_minute: int | None = None
    """Requests begun in a minute, at most; None = no limit stated."""
    timeout: float = 180.0
    """Seconds for one request, from connecting to its last byte."""
    deadline: float = 300.0
    """Seconds that one request may take with all its retries."""


class Host(Settings, frozen=True, kw_only=True):
    """What endpoints and judges have in common: a model at a host, reached with keys."""

    name: str
    """What it is called here and on boards; no two endpoints or judges have the same."""
    host: str
    """The dialect: a provider's name, or local, diffusers, command, chain (docs/hosts)."""
    model: str
    """The model's id at the host; a dated one, where there is one."""
    base_url: str | None = None
    """Of the API, where it is not the host's own."""
    keys: tuple[str, ...] = ()
    """"env:NAME" of each key; several are used in turn."""
    key_group: str | None = None
    """Keys of one account have one group: they cool and run out together. None = each is its own."""
    family: str | None = None
    """Who made the model. A judge of a model's family is flagged."""
    settings: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """Sent as they are, and part of the model's identity; no secrets, because they are published. Those under `largest`
    go along where a sample wants no size, those under `square` where it has no inputs either. An endpoint without any
    is asked with what its host publishes of the model."""
    limits: Limits = Limits()
    """What the host allows us."""
    price_per_call: float | None = None
    """USD for one request."""
    price_in: float | None = None
    """USD for a million tokens read."""
    price_out: float | None = None
    """USD for a million tokens written."""
    price_source: str | None = None
    """Where the price stands, as readers shall see it."""
    price_date: str | None = None
    """The day on which it was read there."""


class EndpointSettings(Host, frozen=True, kw_only=True):
    """`[[endpoint]]`: a model as somebody serves it."""

    tasks: tuple[Task, ...] = ("t2i", "edit")
    """What it is asked for: t2i, edit, chat."""
    cohort: Literal["current", "legacy"] = "current"
    """legacy: every vote on it counts; current: only those under the current methodology."""
    modified: bool = False
    """It is not what the model's makers serve; marked on boards, and a board without it stands beside."""
    service: Literal["serverless", "dedicated", "demo", "local"] = "serverless"
    """How it is served; only serverless endpoints are on the speed board."""
    price_per_image: float | None = None
    """USD for one picture."""
    price_by_size: Mapping[str, float] = msgspec.field(default_factory=dict)
    """USD for one picture by "1024x1024 high", "1024x1024" or "high"."""
    tokens_per_image: int | None = None
    """Tokens that the host counts for a picture that it makes, where tokens are billed."""
    public_from: str | None = None
    """The day from which everybody can use it, as 2026-11-03; a later one = announced."""

    def record(self) -> Endpoint:
        """The endpoint without anything secret."""
        return Endpoint(
            name=self.name,
            host=self.host,
            model=self.model,
            base_url=self.base_url,
            settings=self.settings,
            tasks=self.tasks,
            family=self.family,
            modified=self.modified,
            cohort=self.cohort,
            service="local" if self.host in IN_PROCESS else self.service,
            public_from=self.public_from,
            price=price_of(self, self.price_per_image, self.price_by_size, self.tokens_per_image),
        )


class JudgeSettings(Host, frozen=True, kw_only=True):
    """`[[judge]]`: a model that grades."""

    mode: Literal["grade", "pair"] = "grade"
    """What it is asked for, where a suite leaves it open: a grade of one output, or the better of two."""

    def record(self) -> Endpoint:
        """The judge's endpoint without anything secret."""
        return Endpoint(
            name=self.name,
            host=self.host,
            model=self.model,
            base_url=self.base_url,
            settings=self.settings,
            tasks=("chat",),
            family=self.family,
            price=price_of(self, None),
        )


FREE = Price(per_image=0.0, per_call=0.0, source="runs in this process")


IN_PROCESS = frozenset({"local", "command", "diffusers"})
"""Hosts that are this machine: reached without the network."""


def price_of(
    host: Host,
    per_image: float | None,
    by_size: Mapping[str, float] | None = None,
    tokens_per_image: int | None = None,
) -> Price | None:
    """The price as the file states it; None when it states none. Models in this process cost nothing; what a program
    costs is not known by itself, because it may buy."""
    if host.host in IN_PROCESS - {"command"}:
        return FREE
    stated = (per_image, host.price_per_call, host.price_in, host.price_out)
    if all(price is None for price in stated) and not by_size:
        return None
    return Price(
        per_image=per_image,
        per_call=host.price_per_call,
        tokens_in=host.price_in,
        tokens_out=host.price_out,
        source=host.price_source,
        date=host.price_date,
        by_size=by_size or {},
        tokens_per_image=tokens_per_image,
    )


class PanelSettings(Settings, frozen=True, kw_only=True):
    """`[panel]`: which judges decide together, and the baselines every board carries."""

    judges: tuple[str, ...] = ()
    """Names of judges; none = only checks judge."""
    quorum: int = 2
    """So many judges must have said something of both outputs of a pair, or the pair is left out."""
    checks: bool = True
    """Measure the checks that samples carry, and let them judge beside the models."""
    baselines: tuple[str, ...] = ()
    """Outputs that no real model should lose to: copy-input, blank, noise, other-sample."""


class MeasureSettings(Settings, frozen=True, kw_only=True):
    """`[measure]`: the metrics that every output is measured by, where they apply."""

    metrics: tuple[str, ...] = ("color",)
    """Names of metrics; groundswell plugins lists them."""


class ReaderSettings(Settings, frozen=True, kw_only=True):
    """`[reader]`: who answers the questions of curation."""

    use: str = "local"
    """local (rules and small models), or the name of a judge."""


class SuiteSettings(Settings, frozen=True, kw_only=True):
    """`[[suite]]`: a benchmark and the edition to work on."""

    name: str
    """A suite that comes with Groundswell, one that was imported, or a path to samples of one's own."""
    edition: str = "draft"
    """Label of the edition; one that is not there yet is made from the source."""
    source: str | None = None
    """A file, a folder, or OWNER/NAME of a data set on the Hub; None = it is in the workspace."""
    pictures: str | None = None
    """Folder of pictures, for suites whose rows name files."""
    allow_outside: bool = False
    """Rows may name pictures outside the folder of their file; for suites of one's own."""
    languages: tuple[str, ...] = ("en",)
    """Languages in which models are asked, each apart."""
    templates: str | None = None
    """Folder of a user's own CPI templates, taken word for word."""
    rules: str | None = None
    """A user's own rule.json, taken word for word."""
    reference: str | None = None
    """Judge that writes the reference answers (llava); None = the answers that the source ships."""
    rubric: str | None = None
    """A rubric file of one's own, that outputs are graded or compared by instead of the suite's."""
    limit: int | None = None
    """Take only so many samples, from the front; None = all."""
    draws: int = 1
    """Outputs of every model for every sample; draw n is asked with the seed 42 + n."""


class ArenaSettings(Settings, frozen=True, kw_only=True):
    """`[arena]`: how people vote."""

    min_look_seconds: float = 2.0
    """A vote that comes sooner is refused."""
    methodology: str = "2026-11"
    """What every vote remembers; models of the cohort current count only votes under this one."""
    filters: bool = True
    """Leave flagged votes out; false leaves the operator's rulings alone."""
    anchor: Mapping[Literal["t2i", "edit"], Mapping[Literal["overall", "category"], str]] = msgspec.field(
        default_factory=dict
    )
    """By task the model at 1000 on the overall board, and the one on boards of categories."""


class ProbeSettings(Settings, frozen=True, kw_only=True):
    """`[probe]`: when endpoints are timed, and from where."""

    region: str | None = None
    """Where this machine stands, as readers shall see it: "Frankfurt", "us-east"."""
    per_day: int = 4
    """Timed requests of an endpoint, at random times."""
    per_day_new: int = 12
    """For endpoints that are announced, or public for less than a window."""
    window_days: int = 14
    """Days that the speed board looks back."""


class SourceSettings(Settings, frozen=True, kw_only=True):
    """`[[source]]`: a live platform, and how it is reached."""

    name: str
    """What `groundswell collect` calls it."""
    platform: str | None = None
    """x, x-all, reddit, bluesky, mastodon, hackernews or a plugin's name; None = the source is named like it."""
    base_url: str | None = None
    """Of a Mastodon instance, or a server that stands in for the platform."""
    keys: tuple[str, ...] = ()
    """"env:NAME" of each key, where the platform wants one."""
    user_agent: str | None = None
    """How we name ourselves; some platforms want a contact in it."""
    limits: Limits = Limits(concurrency=4)
    """What the platform allows us."""
    price_per_post: float | None = None
    """USD for a post that a reply carries, on platforms that bill."""


class CollectSettings(Settings, frozen=True, kw_only=True):
    """`[[collect]]`: what is searched for about a model, in the first two weeks after its release and after that."""

    model: str
    """The model that the posts are about."""
    released: date
    """Its first public day; the first two weeks are searched for other words."""
    words_first: tuple[str, ...] = ()
    """Each is a search of its own. In the first days people name no model, they speak of "the new image model"."""
    words_after: tuple[str, ...] = ()
    """Searches for the time after the first two weeks."""
    sources: tuple[str, ...] = ()
    """Where; empty = wherever is collected from."""


class BudgetSettings(Settings, frozen=True, kw_only=True):
    """`[budget]`: the most that a run may spend, in USD; None = no limit stated."""

    usd: float | None = None
    """USD; `--budget` says otherwise for one run."""


class File(Settings, frozen=True, kw_only=True):
    """The tables of groundswell.toml."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    endpoint: tuple[EndpointSettings, ...] = ()
    judge: tuple[JudgeSettings, ...] = ()
    panel: PanelSettings = PanelSettings()
    measure: MeasureSettings = MeasureSettings()
    reader: ReaderSettings = ReaderSettings()
    suite: tuple[SuiteSettings, ...] = ()
    arena: ArenaSettings = ArenaSettings()
    probe: ProbeSettings = ProbeSettings()
    budget: BudgetSettings = BudgetSettings()
    source: tuple[SourceSettings, ...] = ()
    collect: tuple[CollectSettings, ...] = ()


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """A workspace's configuration, checked."""

    folder: Path
    text: str = ""
    file: File = File()

    @property
    def path(self) -> Path:
        return self.folder / FILE_NAME

    def place(self, value: str) -> str:
        """A path or URL of the file; relative paths start at the workspace."""
        return value if "://" in value else str(self.folder / value)

    def secrets(
        self, host: Host | SourceSettings, environment: Mapping[str, str] = os.environ
    ) -> tuple[tuple[str, str], ...]:
        """(variable, secret) for each key of a host. An unset variable is a UserError with the line."""
        forbid_core_dumps()
        found = []
        for number, key in enumerate(host.keys):
            variable = key.removeprefix(ENV_PREFIX)
            value = environment.get(variable, "").strip()
            if not value:
                table = {JudgeSettings: "judge", SourceSettings: "source"}.get(type(host), "endpoint")
                raise UserError(
                    f"the variable {variable} of {host.name} (key {number + 1}) is not set; "
                    f"export {variable}=... and run again",
                    where=self.path,
                    line=_line_with(self.text, f"{ENV_PREFIX}{variable}") or _line_of(self.text, (table,)),
                )
            found.append((variable, value))
        return tuple(found)


def load(folder: str | Path) -> Config:
    """The configuration of a workspace folder. Raises UserError with file, line and remedy."""
    folder = Path(folder).resolve()
    path = folder / FILE_NAME
    if not path.exists():
        raise UserError("no workspace here; make one with: groundswell init DIR", where=path)
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        message = f"this is not TOML: {error}"
        raise UserError(message, where=path, line=int(line.group(1)) if line else None) from None
    except RecursionError:
        raise UserError("this is nested too deeply for a workspace file", where=path) from None
    for place, known in _unknown_keys(data, File, ()):
        near = get_close_matches(str(place[-1]), known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(sorted(known))}"
        raise UserError(f"unknown key {place[-1]}; {hint}", where=path, line=_line_of(text, place))
    try:
        file = msgspec.convert(data, File)
    except msgspec.ValidationError as error:
        place = _place_in(str(error))
        raise UserError(str(error), where=path, line=_line_of(text, place)) from None
    config = Config(folder=folder, text=text, file=file)
    _check_meaning(config)
    return config


def _check_meaning(config: Config) -> None:
    """What types cannot say: names are unique and known, secrets are variables, prices are not negative."""

    def fail(message: str, *place: str | int) -> None:
        raise UserError(message, where=config.path, line=_line_of(config.text, place))

    file = config.file
    if file.budget.usd is not None and not 0 <= file.budget.usd < math.inf:
        fail("a budget is an amount of USD, 0 or more", "budget", "usd")
    seen: set[str] = set()
    identities: dict[str, str] = {}
    for table, hosts in (("endpoint", file.endpoint), ("judge", file.judge)):
        for index, host in enumerate(hosts):
            if _holds_secret(host.base_url):
                fail("a password stands in base_url; use keys and an environment variable", table, index, "base_url")
            if named := next((name for name in host.settings if SECRET_NAME.search(name)), None):
                fail(f"settings.{named} looks like a secret, and settings are published; use keys", table, index, named)
            if isinstance(host, EndpointSettings):
                other = identities.setdefault(host.record().key, host.name)
                if other != host.name:
                    fail(f"{host.name} is {other} again: same host, base_url, model and settings", table, index, "name")
            if host.name in seen:
                fail(f"the name {host.name} is given twice; names must differ", table, index, "name")
            seen.add(host.name)
            if any(not key.startswith(ENV_PREFIX) for key in host.keys):
                fail('a key stands here in the open; write keys = ["env:NAME"] and export NAME', table, index, "keys")
            for price in ("price_per_call", "price_in", "price_out", "price_per_image"):
                if (getattr(host, price, None) or 0) < 0:
                    fail(f"{price} is negative", table, index, price)
            if any(usd < 0 for usd in getattr(host, "price_by_size", {}).values()):
                fail("price_by_size holds a negative price", table, index, "price_by_size")
            if host.host == "chain" and (wrong := _wrong_with_chain(file, host)) is not None:
                fail(wrong, table, index, "settings")
    for index, source in enumerate(file.source):
        if any(source.name == other.name for other in file.source[:index]):
            fail(f"the source {source.name} is given twice; names must differ", "source", index, "name")
        if any(not key.startswith(ENV_PREFIX) for key in source.keys):
            fail('a key stands here in the open; write keys = ["env:NAME"] and export NAME', "source", index, "keys")
        if _holds_secret(source.base_url):
            fail("a password stands in base_url; use keys and an environment variable", "source", index, "base_url")
        if (source.price_per_post or 0) < 0:
            fail("price_per_post is negative", "source", index, "price_per_post")
    judges = {judge.name for judge in file.judge}
    for name in file.panel.judges:
        if name not in judges:
            near = get_close_matches(name, judges, n=1)
            hint = f"did you mean {near[0]}?" if near else "add a [[judge]] of that name"
            fail(f"the panel names the judge {name}, which is not configured; {hint}", "panel", "judges")
    use = file.reader.use
    if use != "local" and use not in judges and use not in _installed_readers():
        fail(f"the reader {use} is neither local nor a configured judge nor a plugin's", "reader", "use")


def _installed_readers() -> set[str]:
    """Names of the readers that packages bring; none of them is loaded."""
    from importlib.metadata import entry_points

    return {point.name for point in entry_points(group="groundswell.reader")}


def _wrong_with_chain(file: File, chain: Host) -> str | None:
    """What is wrong with a chain: it names a writer and a painter that are configured, and neither is a chain."""
    parts = {host.name for host in (*file.endpoint, *file.judge) if host.host != "chain"}
    painters = parts - {judge.name for judge in file.judge}
    for half, known in (("writer", parts), ("painter", painters)):
        name = chain.settings.get(half)
        if name is None:
            return f'the chain {chain.name} needs settings = {{ writer = "NAME", painter = "NAME" }}'
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]}?" if near else "add an [[endpoint]] of that name"
            return f"the {half} {name} of {chain.name} is not configured; {hint}"
    return None


def _holds_secret(url: str | None) -> bool:
    return url is not None and "@" in url.partition("://")[2].partition("/")[0]


def _unknown_keys(
    data: Mapping[str, Any], kind: type[Settings], place: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], list[str]]]:
    hints = get_type_hints(kind)
    known = list(kind.__struct_fields__)
    for name, value in data.items():
        here = (*place, name)
        if name not in known:
            yield here, known
            continue
        inner = _settings_in(hints[name])
        if inner is None:
            continue
        if isinstance(value, Mapping):
            yield from _unknown_keys(value, inner, here)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, Mapping):
                    yield from _unknown_keys(item, inner, (*here, index))


def _settings_in(hint: Any) -> type[Settings] | None:
    """The Settings type that a field holds, alone or in a tuple."""
    if isinstance(hint, type) and issubclass(hint, Settings):
        return hint
    if get_origin(hint) in (tuple, Union, types.UnionType):
        return next((found for arg in get_args(hint) if (found := _settings_in(arg))), None)
    return None


def _place_in(message: str) -> tuple[str | int, ...]:
    """`$.endpoint[1].model` of a msgspec message as a place."""
    path = re.search(r"`\$([^`]*)`", message)
    parts = re.findall(r"\.(\w+)|\[(\d+)\]", path.group(1)) if path else []
    return tuple(name or int(index) for name, index in parts)


def _line_of(text: str, place: tuple[str | int, ...]) -> int | None:
    """Line at which a key (or, without one, its table) stands; None when it cannot be told."""
    if not place:
        return None
    table, index = place[0], place[1] if len(place) > 1 and isinstance(place[1], int) else 0
    key = next((str(part) for part in reversed(place) if isinstance(part, str)), str(table))
    current, count, header_line = "", -1, None
    for number, line in enumerate(text.split("\n"), start=1):
        if header := re.match(r"\s*\[\[?\s*([\w.-]+)\s*\]?\]", line):
            current = header.group(1).split(".")[0]
            if current == table:
                count += 1
                header_line = number if count == index else header_line
            if current == key == table:
                return number
        elif ((current == table and count == index) or current == "") and re.match(
            rf"\s*\"?{re.escape(key)}\"?\s*[.=]|.*[{{,]\s*{re.escape(key)}\s*=", line
        ):
            return number
    return header_line


def _line_with(text: str, words: str) -> int | None:
    return next((number for number, line in enumerate(text.split("\n"), start=1) if words in line), None)
