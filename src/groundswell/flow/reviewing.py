"""What a person sees of the decisions of a workspace, and says about them: in the terminal, or on this machine's page.

To keep a decision leaves a mark on that very decision, so the next walk goes on behind it; when the thread has grown
and was read anew, it is asked again. To overrule one is a decision of the person's, which wins and survives every run.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from groundswell.curate.questions import OF_THREADS, Question
from groundswell.curate.review import HINTS, Asked, in_words, said
from groundswell.curate.stage import PERSON, check_answer
from groundswell.errors import PluginError, UserError
from groundswell.flow.curation import Gathered, decisions, gather, reader_of
from groundswell.flow.workspace import Workspace
from groundswell.ingest.threads import find
from groundswell.records import Decision, Json

SEEN_BY = "seen-by:"
"""Reader's name of the mark that a person has seen a decision and lets it stand."""

MOST_POSTS = 40
"""Of a thread are shown."""


class Review:
    """The decisions that stand, the least sure first. `which` narrows them: url, question."""

    def __init__(self, space: Workspace, reader: str | None = None, person: str = "you") -> None:
        self._space = space
        self._person = person
        self._gathered: Gathered = gather(space)
        self._talks = {talk.opening.key: talk for talk in self._gathered.conversations}
        self._standing = dict(decisions(space, *reader_of(space, reader)).by_place)
        self._seen = {each.material for each in space.store.records(Decision) if each.reader.startswith(SEEN_BY)}

    def rows(
        self, *, url: str | None = None, question: str | None = None, undecided: bool = False
    ) -> list[dict[str, Any]]:
        """One row a decision. Raises UserError where no post has the address `url`."""
        wanted = None if url is None else frozenset(find(self._gathered.posts.values(), url))
        if wanted is not None and not wanted:
            raise UserError(f"no post here has the address {url}")
        rows = []
        for main, talk in self._talks.items():
            if wanted is not None and not wanted & {post.key for post in talk.posts}:
                continue
            asked = (self._standing.get((main, each)) for each in (Question.RELEVANCE, *OF_THREADS))
            rows += [self._row(each) for each in asked if each is not None and question in (None, each.question)]
        return sorted((row for row in rows if row["doubt"] or not undecided), key=lambda row: -row["doubt"])

    def row(self, subject: str, question: str) -> dict[str, Any]:
        """The row of one decision as it stands now. Raises UserError where there is none."""
        return self._row(self._decision(subject, question))

    def _decision(self, subject: str, question: str) -> Decision:
        found = self._standing.get((subject, question))
        if found is None or subject not in self._talks:
            raise UserError(f"there is no decision about {question} of {subject}; groundswell curate review lists them")
        return found

    def _row(self, decision: Decision) -> dict[str, Any]:
        question = Question(decision.question)
        return {
            "subject": decision.subject,
            "question": decision.question,
            "reader": decision.reader,
            "answer": decision.answer,
            "in_words": in_words(question, decision.answer),
            "why": decision.evidence.get("why"),
            "url": self._gathered.posts[decision.subject].url,
            "text": self._talks[decision.subject].opening.text,
            "doubt": doubt(decision),
            "reviewed": decision.key in self._seen or decision.reader.startswith(PERSON),
            "hint": HINTS[question],
        }

    def thread(self, subject: str) -> list[dict[str, Any]]:
        """The posts around a decision: who, what, where, and the digests of their pictures."""
        posts = self._talks[subject].posts if subject in self._talks else ()
        return [
            {
                "by": post.by,
                "main": post.key == subject,
                "text": post.text,
                "url": self._gathered.posts[post.key].url,
                "pictures": [seen.digest for seen in post.pictures],
            }
            for post in posts[:MOST_POSTS]
        ]

    def keep(self, subject: str, question: str) -> None:
        """Let a decision stand: it is not asked again until it changes."""
        seen = self._decision(subject, question)
        evidence = {"why": "a person let it stand", "time": datetime.now(UTC).isoformat()}
        mark = Decision(
            subject=subject,
            question=question,
            reader=f"{SEEN_BY}{self._person}",
            material=seen.key,
            answer=seen.answer,
            evidence=evidence,
        )
        self._space.store.put([mark])
        self._seen.add(seen.key)

    def overrule(self, subject: str, question: str, text: str) -> Json:
        """Take a person's words for the answer. Raises UserError where they give none."""
        if question not in HINTS:
            raise UserError(f"there is no question {question}; there are {', '.join(HINTS)}")
        standing = self._standing.get((subject, question))
        prompt = self._standing.get((subject, Question.PROMPT))
        words = None if prompt is None or prompt.answer is None else prompt.answer["text"]
        known = None if standing is None else standing.answer
        asked = Asked(question=Question(question), subject=subject, answer=known, prompt=words)
        kept = overrule(self._space, subject, question, said(asked, text), self._person)
        self._standing[subject, question] = kept
        return kept.answer

    def picture(self, digest: str) -> tuple[bytes, str] | None:
        """Bytes and media type of a picture that a post of these threads shows; None for any other."""
        for post in self._gathered.posts.values():
            for shown in post.pictures:
                if shown.picture is not None and shown.picture.digest == digest:
                    return self._space.blobs.get(digest), shown.picture.media_type
        return None


def doubt(decision: Decision) -> int:
    """How much a person's look is worth: 2 unsure or a middle score, 1 in between, 0 clear or a person's own."""
    if decision.reader.startswith(PERSON):
        return 0
    answer = decision.answer
    if answer is None:
        return 2
    match decision.question:
        case Question.RELEVANCE:
            return {3: 2, 2: 1, 4: 1}.get(answer["score"], 0)
        case Question.BLANKS:
            return 2 if answer.get("blanks") and answer.get("filled") is None else 0
        case Question.QUALITY:
            return 1 if answer["label"] != "Benchmark" else 0
        case _:
            return 0


def overrule(space: Workspace, subject: str, question: str, answer: Json, person: str) -> Decision:
    """Keep a person's answer; it wins over every reader's and survives every run. Raises UserError for a wrong form."""
    try:
        check_answer(question, answer)
    except PluginError as error:
        raise UserError(str(error)) from None
    if space.store.get(subject) is None:
        raise UserError(f"there is no post with the key {subject}; groundswell curate review lists them")
    evidence = {"why": "a person said so", "time": datetime.now(UTC).isoformat()}
    decision = Decision(
        subject=subject, question=question, reader=f"{PERSON}{person}", answer=answer, evidence=evidence
    )
    space.store.put([decision], renew=True)
    return decision


def serve(review: Review, which: Mapping[str, Any], port: int, say: Callable[[str], None]) -> int:
    """Show the decisions on a page that only this machine reaches, until the person is done; gives how many were
    overruled. Raises UserError where the extra is not installed or the port is taken."""
    try:
        import uvicorn

        from groundswell.curate.review_page import ReviewPages
    except ImportError:
        raise UserError("the page needs a web server; install it with: pip install 'groundswell[arena]'") from None
    with socket.socket(socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            raise UserError(f"127.0.0.1:{port} cannot be used ({error.strerror}); name another --port") from None
        pages = ReviewPages(review, which)
        config = uvicorn.Config(pages.application(), log_level="warning", access_log=False, server_header=False)
        server = uvicorn.Server(config)
        pages.when_done = lambda: setattr(server, "should_exit", True)
        listening.listen()
        say(f"review: http://127.0.0.1:{listening.getsockname()[1]}/?key={pages.key}  (stop with Ctrl-C)")
        with suppress(KeyboardInterrupt):  # the way to end it: every answer is on disk
            server.run(sockets=[listening])
    return pages.overruled
