"""The nouns of Groundswell: frozen records, and the keys that name them.

A key is a digest over a declared tuple of identity fields, so the same content has the same key on every machine and
an added optional field changes no key. Absence is a type here: a refusal, a failure, an unreadable reply and a metric
that does not apply are records of their own, never a number. Nothing here reads, writes or computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, ClassVar, Literal

import msgspec

KEY_DIGITS = 32
"""Hex digits of a key: 128 bits, enough that 10^15 records do not collide."""

FIRST_SEED = 42
"""Seed of draw 0; draw n sends 42 + n (DESIGN, section 2)."""

Json = Any
"""A value that JSON can hold."""

Tags = Mapping[str, Any]
"""Taxonomy of a sample: use_case, capability, style[] and what a suite adds (task, domain, subtask)."""

_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def key_of(*identity: object) -> str:
    """Key of an identity tuple: the first 128 bits, in hex, of sha256 over its sorted JSON."""
    return sha256(_encode_sorted(identity)).hexdigest()[:KEY_DIGITS]


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value inside records; it has no key of its own."""


class Record(Part, frozen=True, kw_only=True, omit_defaults=True, tag=str.lower, tag_field="kind"):
    """A fact that the store keeps under its key."""

    VERSION: ClassVar[int] = 1

    def identity(self) -> tuple[object, ...]:
        """The fields that make this record the one it is."""
        raise TypeError(f"{type(self).__name__} declares no identity")

    @property
    def key(self) -> str:
        """The record's key; computed on each call, in about 2 microseconds."""
        return key_of(type(self).__name__, self.VERSION, *self.identity())


# --- pictures and posts -------------------------------------------------------------------------------------------


class Licence(Part, frozen=True, kw_only=True):
    """Under which terms a picture or a suite may be passed on. What is unknown counts as no."""

    id: str
    """As SPDX writes it where it has a name there."""
    source: str | None = None
    """Where the terms stand, or whose they are."""
    redistribute: bool = False
    """It may be passed on as it is."""
    derivatives: bool = False
    """What is made of it may be passed on."""


class Picture(Part, frozen=True, kw_only=True):
    """A picture by its content. The bytes live in the blobs under `digest` (sha256 of the original bytes, hex)."""

    digest: str
    """sha256 of the original bytes, in hex."""
    media_type: str
    """Read from the bytes, e.g. image/png."""
    width: int
    """Pixels after EXIF rotation."""
    height: int
    """Pixels after EXIF rotation."""
    licence: Licence | None = None
    """None = not known, which counts as no."""
    copy: str | None = None
    """Digest of a smaller copy, for pages that need no more; None = none was made."""


class Attachment(Part, frozen=True, kw_only=True):
    """A picture as a post shows it: where it was, and what became of it."""

    url: str
    """Where the post shows it from; a path, where the export has it beside it."""
    media: Literal["picture", "animation", "video"] = "picture"
    """What it is."""
    alt: str | None = None
    """Its description, by the author."""
    picture: Picture | None = None
    """The bytes, where they are at hand."""
    missing: str | None = None
    """Why they are not: failed, expired, deleted, not included, too large."""


class PostState(StrEnum):
    """What the platform says of a post."""

    PRESENT = "present"
    DELETED = "deleted"
    BLOCKED = "blocked"
    """Removed by moderators, taken down, private or blocked: it exists, but not for us."""


class Post(Record, frozen=True, kw_only=True):
    """One post of one platform. Its id is the platform's own, as a string, never rounded through a number."""

    platform: str
    """x, reddit, bluesky, mastodon, hackernews, discord, telegram."""
    id: str
    """The platform's own."""
    revision: int = 0
    """0 = as first published; later ones are larger."""
    url: str | None = None
    """Its canonical address."""
    author: str | None = None
    """Salted hash of the author; the name is never kept."""
    text: str = ""
    """Its words, with addresses and telephone numbers of people masked."""
    time: datetime | None = None
    """When it was posted, in UTC."""
    pictures: tuple[Attachment, ...] = ()
    """In the order in which it shows them."""
    reply_to: str | None = None
    """Id of the parent on the same platform."""
    root: str | None = None
    """Id of the thread's first post where the platform names it."""
    quote_of: str | None = None
    """Id of the post that it quotes."""
    state: PostState = PostState.PRESENT
    """What the platform says of it."""
    language: str | None = None
    """Language code, as the platform says."""
    engagement: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Counts as the platform gives them: likes, reposts, replies, quotes, views, score."""
    title: str | None = None
    """Of platforms whose posts have one."""

    def identity(self) -> tuple[object, ...]:
        return (self.platform, self.id, self.revision)


class Thread(Record, frozen=True, kw_only=True):
    """A conversation: every member with its parent, flat, so that a 30,000-deep thread needs no recursion."""

    root: str
    """Key of the root post; a placeholder's key where the root is missing."""
    main: str
    """Key of the matched post where a query exists, else the root."""
    matched: tuple[str, ...] = ()
    """Keys of the posts that a search matched."""
    ancestors: tuple[str, ...] = ()
    """Path from the root to the parent of `main`."""
    members: tuple[str, ...] = ()
    """Keys of the posts, parents before children."""
    parents: tuple[int | None, ...] = ()
    """For each member the index of its parent in `members`; None for the root."""
    missing: tuple[str, ...] = ()
    """Members that are placeholders: somebody replied to them, nobody gave them to us."""

    def identity(self) -> tuple[object, ...]:
        return (self.root, sorted(self.members))


# --- samples, editions, endpoints ---------------------------------------------------------------------------------

Task = Literal["t2i", "edit", "chat"]


class Feedback(Part, frozen=True, kw_only=True):
    """What somebody said about an output, with the post it stands in."""

    post: str
    """Key of the post."""
    text: str
    """Its words about the output."""


class Check(Part, frozen=True, kw_only=True):
    """A requirement that can be measured instead of opined; `args` belong to the kind."""

    name: str
    """The kind of check: text, gray, mirrored, same_face, size, ..."""
    args: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What it is checked against."""


class Sample(Record, frozen=True, kw_only=True):
    """One thing to ask of a model, complete in itself."""

    suite: str
    """The suite that it belongs to."""
    task: Task
    """t2i = a picture of words, edit = of words and pictures, chat = an answer about pictures."""
    prompts: Mapping[str, str]
    """The instruction by language code (en, zh, ...)."""
    label: str | None = None
    """The suite's own id of this row, as text."""
    inputs: tuple[Picture, ...] = ()
    """Pictures that the model is given, in order."""
    context: str | None = None
    """What the judge may read and the model may not (captions and boxes, a rationale)."""
    reference: str | None = None
    """An answer to compare with, where the suite ships one."""
    feedback: tuple[Feedback, ...] = ()
    """What people said of outputs in its thread."""
    tags: Tags = msgspec.field(default_factory=dict)
    """Its place in the taxonomy."""
    checks: tuple[Check, ...] = ()
    """Requirements that are measured."""
    origins: tuple[str, ...] = ()
    """Keys of the posts it was made of."""
    about: str | None = None
    """The model that its thread is about."""
    size: tuple[int, int] | None = None
    """Wanted width and height in pixels."""
    not_runnable: str | None = None
    """Why it cannot be run (an input missing, a blank unfilled); None = it can. Apart from quality."""
    quality: str | None = None
    """Benchmark, Analysis or Trash, as curation judged."""
    licence: Licence | None = None
    """Of its words; pictures have their own."""

    def identity(self) -> tuple[object, ...]:
        digests = [picture.digest for picture in self.inputs]
        checks = [(check.name, check.args) for check in self.checks]
        return (self.task, self.prompts, digests, self.context, self.reference, checks)


class Edition(Record, frozen=True, kw_only=True):
    """A frozen, ordered list of samples that can be cited."""

    suite: str
    """The suite that it is an edition of."""
    label: str
    """What it is cited by, as 2026-11."""
    samples: tuple[str, ...]
    """Keys of its samples, in order."""
    languages: tuple[str, ...] = ()
    """Languages in which models are asked."""
    licence: Licence | None = None
    """Of the set as a whole, where it has one."""
    inclusion: Mapping[str, float] | None = None
    """Probability with which each sample was drawn, where it was drawn."""

    def identity(self) -> tuple[object, ...]:
        return (self.suite, self.label, self.samples)


class Price(Part, frozen=True, kw_only=True):
    """What a host charges, dated and sourced. A price that is not known is None, never 0."""

    per_image: float | None = None
    """USD for one picture."""
    per_call: float | None = None
    """USD for one request."""
    tokens_in: float | None = None
    """USD per million tokens read."""
    tokens_out: float | None = None
    """USD per million tokens written."""
    source: str | None = None
    """Where it stands."""
    date: str | None = None
    """The day on which it was read there."""
    by_size: Mapping[str, float] = msgspec.field(default_factory=dict)
    """USD for one picture by `1024x1024 high`, `1024x1024` or `high`, where size or quality change it."""
    tokens_per_image: int | None = None
    """Tokens that the host counts for one picture that it makes; for estimates where tokens are billed."""


class Endpoint(Record, frozen=True, kw_only=True):
    """A model as somebody serves it. Decoding settings are part of its identity; secrets are not in it."""

    name: str
    """What it is called on boards."""
    host: str
    """The dialect that it is spoken to in; `file` = its outputs came as files."""
    model: str
    """The model's id at the host."""
    base_url: str | None = None
    """Of the API; None = the host's own."""
    settings: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """Sent with every request as they are."""
    tasks: tuple[Task, ...] = ()
    """What it is asked for."""
    family: str | None = None
    """Who made the model."""
    modified: bool = False
    """It is not what the model's makers serve."""
    cohort: Literal["current", "legacy"] = "current"
    """Whether votes of older methodologies count on it."""
    service: Literal["serverless", "dedicated", "demo", "local"] = "serverless"
    """How it is served."""
    public_from: str | None = None
    """The day from which everybody can use it; a later one = announced."""
    price: Price | None = None
    """None = not known."""

    def identity(self) -> tuple[object, ...]:
        return (self.host, self.base_url, self.model, self.settings)

    def settings_for(self, *, sized: bool = False, inputs: bool = False) -> dict[str, Json]:
        """The settings that go along with one request. Those under `largest` do where no size is wanted (`sized`),
        those under `square` where there are no inputs either."""
        settings = {name: value for name, value in self.settings.items() if name not in ("largest", "square")}
        if not sized:
            settings |= self.settings.get("largest", {})
            settings |= {} if inputs else self.settings.get("square", {})
        return settings


# --- outputs ------------------------------------------------------------------------------------------------------


class Job(Record, frozen=True, kw_only=True):
    """One output that is wanted. Its key is the unit key of the stage `generate`."""

    sample: str
    """Key of the sample."""
    endpoint: str
    """Key of the endpoint."""
    settings: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What the sample adds to the endpoint's settings: prompt_language, size."""
    draw: int = 0
    """Which of several outputs for the same sample; the seed is 42 + draw."""

    def identity(self) -> tuple[object, ...]:
        return (self.sample, self.endpoint, self.settings, self.draw)

    @property
    def seed(self) -> int:
        return FIRST_SEED + self.draw


class Outcome(Record, frozen=True, kw_only=True):
    """What came of a job: exactly one of Output, Refusal, Failure."""

    job: str
    """Key of the job."""
    sample: str
    """Key of the sample."""
    endpoint: str
    """Key of the endpoint."""
    draw: int = 0
    """The job's."""
    language: str | None = None
    """In which the model was asked; None = the sample has one language alone."""
    started: datetime | None = None
    """When it was asked, in UTC."""
    seconds: float | None = None
    """From asking to the last byte; not a measurement of speed, which is a Timing."""
    cost: float | None = None
    """USD; None = not known."""
    observed: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What the host or the bytes show; never an echo of the request."""


class Output(Outcome, frozen=True, kw_only=True):
    """Pictures or text that a model gave."""

    pictures: tuple[Picture, ...] = ()
    """What it drew."""
    text: str | None = None
    """What it wrote, as it is."""
    served_model: str | None = None
    """The model id that the host answered with."""
    rewritten_prompt: str | None = None
    """What the host says that it drew in place of the prompt."""
    differs: tuple[str, ...] = ()
    """Where what came is not what was asked: size, media type, model."""

    def identity(self) -> tuple[object, ...]:
        content = [picture.digest for picture in self.pictures] or self.text
        return (self.job, content, self.served_model)


class Refusal(Outcome, frozen=True, kw_only=True):
    """The host or the model declined. A result: never retried, never moved to another key."""

    reason: str
    """In the host's words."""
    at: Literal["input", "output"] | None = None
    """Whether the request or what was made of it was declined; None = it did not say."""

    def identity(self) -> tuple[object, ...]:
        return (self.job, "refusal")


class Failure(Outcome, frozen=True, kw_only=True):
    """Nothing usable came. `transient` says whether asking again can help."""

    what: Literal["provider", "download", "decode", "timeout"]
    """The step at which it failed."""
    reason: str
    """In the host's words, or ours."""
    transient: bool
    """Asking again can help."""

    def identity(self) -> tuple[object, ...]:
        return (self.job, self.what, self.reason)


# --- judging ------------------------------------------------------------------------------------------------------


class Dimension(Part, frozen=True, kw_only=True):
    """One scale of a rubric."""

    name: str
    """As the rubric writes it."""
    low: float
    """Worst score."""
    high: float
    """Best score."""
    step: float | None = None
    """None = any number between low and high."""
    weight: float | None = None
    """In the weighted mean; None = all alike."""


class Rubric(Record, frozen=True, kw_only=True):
    """What a judge is asked, word for word, and how the answer is read."""

    name: str
    """Of its file."""
    text: str
    """What the judge reads, with places to be filled."""
    dimensions: tuple[Dimension, ...] = ()
    """What it scores, in order."""
    rules: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """Mode, arithmetic, penalty, temperature, room for the answer: everything that can change a score."""

    def identity(self) -> tuple[object, ...]:
        return (self.text, [(d.name, d.low, d.high, d.step, d.weight) for d in self.dimensions], self.rules)


class Usage(Part, frozen=True, kw_only=True):
    """Tokens as the host counted them; None = it did not say."""

    tokens_in: int | None = None
    """Read, pictures included."""
    tokens_out: int | None = None
    """Written, thinking included."""


class Verdict(Record, frozen=True, kw_only=True):
    """What came of asking a judge: exactly one of Judgment, Unread, Blocked, Truncated, with the raw reply."""

    outputs: tuple[str, ...]
    """Keys of the outputs judged, in the order in which the judge saw them."""
    judge: str
    """Its name with the start of its endpoint's key; `checks` for what is measured."""
    rubric: str
    """Key of the rubric."""
    sample: str
    """Key of the sample."""
    repeat: int = 0
    """Which asking of the same question; 0 is the one that counts."""
    reply: str | None = None
    """The raw reply; None = there was none."""
    served_model: str | None = None
    """The model id that the host answered with."""
    usage: Usage | None = None
    """None = the host did not count."""
    cost: float | None = None
    """USD; None = not known."""
    seconds: float | None = None
    """Latency of the answer alone, from sending the request to the last byte."""

    def identity(self) -> tuple[object, ...]:
        return (self.outputs, self.judge, self.rubric, self.repeat)


class Judgment(Verdict, frozen=True, kw_only=True):
    """Scores that were read, each within its scale."""

    scores: Mapping[str, float]
    """By dimension, each on the rubric's scale."""
    flags: tuple[str, ...] = ()
    """declined, and what a suite adds."""


class Unread(Verdict, frozen=True, kw_only=True):
    """The judge answered, but no careful reader would take a score from it."""

    why: str
    """empty, missing, range, conflict, no_score, no_images, unparseable, scale, not measurable, ..."""
    partial: Mapping[str, float] = msgspec.field(default_factory=dict)
    """What could be read; it is never scored."""


class Blocked(Verdict, frozen=True, kw_only=True):
    """The judge's host refused to answer."""

    why: str
    """In the host's words."""


class Truncated(Verdict, frozen=True, kw_only=True):
    """The reply was cut before the answer, even with more room."""

    room: int
    """Tokens that the last attempt was allowed."""


# --- measuring ----------------------------------------------------------------------------------------------------


class Measured(Record, frozen=True, kw_only=True):
    """What came of a metric: exactly one of Measurement, NotApplicable."""

    output: str
    """Key of the output."""
    sample: str
    """Key of the sample."""
    metric: str
    """Its name."""
    version: int
    """Of its arithmetic."""
    backend: str
    """The network or package that computed it; two backends never share a column."""

    def identity(self) -> tuple[object, ...]:
        return (self.output, self.metric, self.version, self.backend)


class Measurement(Measured, frozen=True, kw_only=True):
    """A number, in the metric's own unit, with what it was made of."""

    value: float
    """The number."""
    detail: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What else was found on the way to it."""


class NotApplicable(Measured, frozen=True, kw_only=True):
    """The metric says nothing about this output, and why."""

    why: str
    """In words, with who judged so."""


# --- comparing ----------------------------------------------------------------------------------------------------


class Winner(StrEnum):
    """Outcome of one comparison, by side, never by a model's name."""

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"
    BOTH_BAD = "both_bad"


class Comparison(Record, frozen=True, kw_only=True):
    """Two outputs of one sample, and which is better. People's votes and panels' pairs are both this."""

    sample: str
    """Key of the sample."""
    left: str
    """Name of the model at the left (an endpoint's name)."""
    right: str
    """Name of the model at the right."""
    winner: Winner
    """By side."""
    by: str
    """Who said so: a judge's name, `panel`, or a session's hash."""
    left_output: str | None = None
    """Key of the output at the left."""
    right_output: str | None = None
    """Key of the output at the right."""
    probability: float | None = None
    """With which the pair was drawn; None = it was not drawn."""

    def identity(self) -> tuple[object, ...]:
        return (self.sample, self.left, self.right, self.left_output, self.right_output, self.by)


class Vote(Comparison, frozen=True, kw_only=True):
    """A person's comparison, cast on a ballot."""

    ballot: str
    """Key of the ballot; it can be answered once."""
    seconds_left: float | None = None
    """How long the left output was looked at."""
    seconds_right: float | None = None
    """How long the right output was looked at."""
    methodology: str | None = None
    """Under which it was cast."""
    time: datetime | None = None
    """When, in UTC."""

    def identity(self) -> tuple[object, ...]:
        return (self.ballot,)


class Skip(Record, frozen=True, kw_only=True):
    """A ballot that a person would not decide. No comparison; but who skips until one model shows can be told by it."""

    ballot: str
    """Key of the ballot."""
    sample: str
    """Key of the sample."""
    left: str
    """Name of the model at the left."""
    right: str
    """Name of the model at the right."""
    by: str
    """The session's hash."""
    time: datetime | None = None
    """When, in UTC."""

    def identity(self) -> tuple[object, ...]:
        return (self.ballot,)


class Ruling(Record, frozen=True, kw_only=True):
    """What a rule or the operator decided about a record. The newest on a subject counts; none is overwritten."""

    subject: str
    """Key of the record that it is about."""
    what: Literal["queue", "admit", "reject", "retire", "restore", "exclude", "reinstate", "tag"]
    """What becomes of the subject."""
    by: str
    """The rule's name, or the person's."""
    why: str = ""
    """In words."""
    evidence: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What the rule found."""
    time: datetime
    """When, in UTC."""

    def identity(self) -> tuple[object, ...]:
        return (self.subject, self.what, self.by, self.time.isoformat())


class Timing(Record, frozen=True, kw_only=True):
    """One un-retried timed request."""

    endpoint: str
    """Key of the endpoint."""
    start: datetime
    """When the request was sent, in UTC."""
    seconds: float | None = None
    """Whole time; None = it failed."""
    submit: float | None = None
    """Seconds from sending the request to the end of its reply."""
    wait: float | None = None
    """Seconds of polling; None = the host answers at once."""
    fetch: float | None = None
    """Seconds of downloading the picture from a link; None = it came with the reply."""
    failure: str | None = None
    """Why there is no time."""
    region: str | None = None
    """Where this machine stood."""
    cold: float | None = None
    """Seconds of queue or cold start where the host reports them."""
    cost: float | None = None
    """USD; None = not known."""

    def identity(self) -> tuple[object, ...]:
        return (self.endpoint, self.start.isoformat())


# --- boards -------------------------------------------------------------------------------------------------------


class Rating(Part, frozen=True, kw_only=True):
    """One ranked model of a board."""

    model: str
    """Its name."""
    rating: float
    """400 points more are odds of 10 to 1."""
    low: float | None
    """None = no interval can be given, and `method` says why."""
    high: float | None
    """Upper end of the 95 % interval, as `low` is the lower."""
    rank: int
    """1 + number of models that are surely better."""
    rank_low: int
    """Best rank that the intervals leave open."""
    rank_high: int
    """Worst rank that they leave open."""
    games: int
    """Comparisons that it stands in."""
    win_rate: float | None = None
    """Mean over opponents of the mean points against each, a tie half a point; None = not computed."""


class Unranked(Part, frozen=True, kw_only=True):
    """A model that has no finite rating, on which side it stands, and why."""

    model: str
    """Its name."""
    side: Literal["above", "below", "apart"]
    """above = never lost to the ranked ones, below = never won, apart = never met."""
    bound: float | None
    """One-sided bound where one exists: a rating above (below) which it lies."""
    why: str
    """In words."""
    games: int = 0
    """Comparisons that it stands in."""


class Board(Record, frozen=True, kw_only=True):
    """Ratings with everything a reader needs to trust or doubt them."""

    name: str
    """Its suite, or arena; a slice after a stroke."""
    modality: str
    """t2i, edit or chat."""
    edition: str | None = None
    """Label of the edition; None = over all."""
    ratings: tuple[Rating, ...] = ()
    """The ranked models, best first."""
    unranked: tuple[Unranked, ...] = ()
    """The others."""
    left_out: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Comparisons that do not count, by reason."""
    coverage: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """By model: scored, wanted, refused, failed, and the best and worst bounds of bounded means."""
    method: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """How it was made: settings, iterations, weights, warnings."""
    calibration: Mapping[str, Json] | None = None
    """How far its judges agree with people; None = nobody has compared them."""

    def identity(self) -> tuple[object, ...]:
        return (self.name, self.modality, self.edition, self.ratings, self.unranked, self.left_out, self.method)


# --- asking -------------------------------------------------------------------------------------------------------


class Splice(Part, frozen=True, kw_only=True):
    """A place in a request's body where a picture's bytes go."""

    picture: Picture
    """The picture."""
    encoding: Literal["base64", "raw"] = "base64"
    """How its bytes are written."""


class Credential(Part, frozen=True, kw_only=True):
    """A place in a request's JSON body where half of a key `NAME:SECRET` goes: for logging in, and nowhere else."""

    half: Literal["name", "secret"]
    """Which half."""


class Request(Part, frozen=True, kw_only=True):
    """What is asked of a model, before any host's dialect."""

    model: str
    """The model's id at the host."""
    want: Literal["picture", "text"]
    """What shall come back."""
    parts: tuple[str | Picture, ...]
    """Text and pictures in order."""
    system: str | None = None
    """What is said to the model before the conversation."""
    settings: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """Sent as they are."""
    seed: int | None = None
    """Sent where the host takes one."""
    size: tuple[int, int] | None = None
    """Wanted width and height in pixels; None = as the endpoint's settings say."""
    mask: Picture | None = None
    """Where an edit may change the first input."""
    schema: Json | None = None
    """JSON schema of the answer, where one is wanted."""
    max_tokens: int | None = None
    """Room for the answer."""
    temperature: float | None = None
    """None = the host's own."""


class Call(Part, frozen=True, kw_only=True):
    """One HTTP request of a dialect. It holds no secret: the wire adds the key as `auth` says."""

    method: str
    """Of HTTP."""
    url: str
    """The whole address."""
    body: tuple[bytes | Splice | Credential, ...] = ()
    """Bytes, with places for pictures and keys."""
    content_type: str | None = None
    """Of the body."""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Others than the key's."""
    auth: str | None = "Authorization: Bearer {key}"
    """Header line in which the wire puts the key, as it is or as `{basic}` (base64, RFC 7617); None = no key is sent
    (a link to a picture)."""
    phase: Literal["submit", "wait", "fetch"] = "submit"
    """What it is a part of: sending the request, polling, fetching the picture."""
    delay: float = 0.0
    """Seconds to wait before sending: the polling step."""
    from_reply: bool = False
    """The URL came from a host's reply: size, redirects and private addresses are limited."""
    state: Json = None
    """What the codec must remember until the reply."""


class Reply(Part, frozen=True, kw_only=True):
    """What came back for a call. Exceptions of the transport are turned into `error` by the wire."""

    call: Call
    """What it answers."""
    status: int
    """Of HTTP."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """As it came."""
    seconds: float = 0.0
    """From sending this request to its last byte; queueing and retries on our side are not in it."""


class Answer(Part, frozen=True, kw_only=True):
    """What a dialect understood of a good reply."""

    text: str | None = None
    """What was written; None = nothing."""
    pictures: tuple[bytes, ...] = ()
    """Bytes of what was drawn."""
    finish: Literal["stop", "length", "other"] = "stop"
    """Why it ended: by itself, for want of room, or otherwise."""
    served_model: str | None = None
    """The model id that the host answered with."""
    rewritten_prompt: str | None = None
    """What the host says that it drew in place of the prompt."""
    usage: Usage | None = None
    """None = the host did not count."""
    cost: float | None = None
    """USD where the host itself says it."""
    observed: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What else the host says of what it made."""


class Declined(Part, frozen=True, kw_only=True):
    """What a dialect understood as a refusal of the host or the model."""

    reason: str
    """In the host's words."""
    at: Literal["input", "output"] | None = None
    """Whether the request or what was made of it was declined; None = it did not say."""
    raw: str | None = None
    """The reply, where it helps to understand."""
    cost: float | None = None
    """USD that asking did cost all the same; None = not known here."""
    observed: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What else the host says."""


class Broken(Part, frozen=True, kw_only=True):
    """What a dialect, or the wire, could not use."""

    what: Literal["provider", "download", "decode", "timeout"]
    """The step at which it broke."""
    reason: str
    """In the host's words, or ours."""
    transient: bool
    """Asking again can help."""
    status: int | None = None
    """Of HTTP, where there was one."""
    retry_after: float | None = None
    """Seconds, where the host said it."""
    key_dead: bool = False
    """The host refused the key itself (401): this key is not used again."""
    exhausted: bool = False
    """The account of this key has no quota left."""
    cost: float | None = None
    """USD that asking did cost all the same; None = not known here."""
    observed: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """What else the host says."""


Understood = Call | Answer | Declined | Broken
"""What `Provider.advance` gives: another request to send, or an end."""


# --- collecting ---------------------------------------------------------------------------------------------------


class Pull(Record, frozen=True, kw_only=True):
    """One page of a live platform: what was asked, and, once it came, what it gave and where the next one begins."""

    source: str
    """Name of the source."""
    what: Literal["search", "thread"]
    """A page of a search, or of a conversation."""
    query: str
    """The words searched for; for a thread, the id of the post that it is grown from."""
    since: datetime | None = None
    """Window of a search, from (inclusive); None = as far back as the platform goes."""
    until: datetime | None = None
    """To (exclusive); None for threads."""
    cursor: str | None = None
    """Where this page begins, in the platform's terms; None = the first page."""
    next: str | None = None
    """Cursor of the page after it; None = there is none."""
    found: tuple[tuple[str, str | None], ...] = ()
    """Ids of the posts that matched, each with the id of its conversation; None = nobody has answered it."""
    reached: datetime | None = None
    """Time of the newest match on the last page that had any: what is later has been seen."""
    gone: bool = False
    """The platform has no such conversation (any more)."""
    posts: int = 0
    """Posts that the page carried, context included."""
    requests: int = 0
    """How many the page took."""

    def identity(self) -> tuple[object, ...]:
        window = (self.since and self.since.isoformat(), self.until and self.until.isoformat())
        return (self.source, self.what, self.query, *window, self.cursor)


# --- curation -----------------------------------------------------------------------------------------------------


class Decision(Record, frozen=True, kw_only=True):
    """An answer to one question of curation, with what it rests on. A person's answer is one, too, and wins."""

    subject: str
    """Key of the post that it is about: the post itself, or the main post of a thread."""
    question: str
    """relevance, prompt, roles, blanks, feedback, quality, screenshot, or what another stage asks."""
    reader: str
    """Who answered: `local`, a judge's name with the start of its endpoint's key, or `person:` and a name."""
    version: int = 1
    """Of the reader's rules or prompts for this question."""
    material: str = ""
    """Digest of what was read, so that a thread that has grown is read again; "" for a person, whose word stands."""
    answer: Json = None
    """By the schema of the question; None = unsure."""
    evidence: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """Why, in words; a model's raw reply; the time of a person's answer."""

    def identity(self) -> tuple[object, ...]:
        return (self.subject, self.question, self.reader, self.version, self.material)


# --- work ---------------------------------------------------------------------------------------------------------


class UnitState(StrEnum):
    """How a unit of work ended."""

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"


class Unit(Part, frozen=True, kw_only=True):
    """One thing a stage wants to exist, named before it is bought."""

    key: str
    """Names it on every machine."""
    payload: Json
    """What `do` needs; records, kept small."""
    price: float | None = None
    """USD that it is expected to cost at most; None = not known."""


class Done(Part, frozen=True, kw_only=True):
    """What a stage made of a unit."""

    state: UnitState
    """How it ended."""
    records: tuple[Record, ...] = ()
    """What it made."""
    cost: float | None = None
    """USD spent; None = not known."""
    why: str | None = None
    """For refused and failed: the reason, in words."""
    transient: bool = False
    """For failed: asking again can help."""
    retry_after: float | None = None
    """Seconds, where the host said it."""
    tried: bool = True
    """False where nobody could be asked (no key is left): it counts as no attempt."""


# --- withdrawing --------------------------------------------------------------------------------------------------


class WithdrawnSample(Sample, frozen=True, kw_only=True):
    """What is left of a sample that was withdrawn: enough to count what was said of it, and no text or picture.

    `prompts` keep their languages, and of their words only names of models.
    """

    was: str
    """The key that the sample had."""

    @property
    def key(self) -> str:
        return self.was


class WithdrawnOutput(Output, frozen=True, kw_only=True):
    """What is left of an output that was withdrawn."""

    was: str
    """The key that the output had."""
    characters: int | None = None
    """Length of the text that it held."""

    @property
    def key(self) -> str:
        return self.was


class WithdrawnFailure(Failure, frozen=True, kw_only=True):
    """What is left of a failure about something that was withdrawn: hosts quote what they were sent."""

    was: str
    """The key that the failure had."""

    @property
    def key(self) -> str:
        return self.was


STORED: tuple[type[Record], ...] = (
    Post, Thread, Sample, Edition, Endpoint, Job, Output, Refusal, Failure, Rubric, Judgment, Unread, Blocked,
    Truncated, Measurement, NotApplicable, Comparison, Vote, Timing, Board, Skip, Ruling, Decision,
    Pull,
)  # fmt: skip
"""Every record that the store may hold; the tag in its JSON (`kind`) is the class name in lower case."""

WITHDRAWN: tuple[type[Record], ...] = (WithdrawnSample, WithdrawnOutput, WithdrawnFailure)
"""What is kept under tombstones, so that boards can be recomputed; nothing else reads them."""
