"""What a person says about a decision, in a few letters, as an answer in the question's form.

Short words for every question, or the answer itself as JSON. It does not know where a person says it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from groundswell.curate.prompts import cleaned, edits
from groundswell.curate.questions import Question
from groundswell.errors import UserError
from groundswell.records import Json

LABELS = ("Benchmark", "Analysis", "Trash")
ROLES = {"i": "input", "o": "output", "c": "combined", "n": "neither"}
VERDICTS = {"s": "success", "f": "failure", "n": "neither"}

HINTS: Mapping[Question, str] = {
    Question.RELEVANCE: "1 to 5; 4 and 5 go on",
    Question.PROMPT: "the instruction, word for word; or none; or edit, t2i to change only the task",
    Question.ROLES: "a letter a picture, in order: i input, o output, c combined, n neither",
    Question.BLANKS: "place = value; place = value; or open when nobody says it",
    Question.FEEDBACK: "a letter a reply, in order: s success, f failure, n neither",
    Question.QUALITY: "b Benchmark, a Analysis, t Trash",
}
"""What a person may type; JSON of the whole answer is always understood."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The decision that a person speaks about."""

    question: Question
    subject: str
    """Key of the main post."""
    answer: Json
    """What stands now; None = the reader was unsure."""
    prompt: str | None = None
    """The instruction of the thread, where there is one."""


def said(asked: Asked, text: str) -> Json:
    """The answer that a person's words give; None = there is no instruction. Raises UserError with what is wanted."""
    text = text.strip()
    if text.startswith(("{", "null")):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise UserError(f"this is not JSON ({error})") from None
    read = {
        Question.RELEVANCE: _score,
        Question.PROMPT: _prompt,
        Question.ROLES: _roles,
        Question.BLANKS: _blanks,
        Question.FEEDBACK: _comments,
        Question.QUALITY: _label,
    }
    return read[asked.question](asked, text)


def _wanted(asked: Asked) -> UserError:
    return UserError(f"{asked.question} wants {HINTS[asked.question]}")


def _score(asked: Asked, text: str) -> Json:
    if not re.fullmatch("[1-5]", text):
        raise _wanted(asked)
    return {"score": int(text)}


def _label(asked: Asked, text: str) -> Json:
    found = next((label for label in LABELS if text and label.casefold().startswith(text.casefold())), None)
    if found is None:
        raise _wanted(asked)
    return {"label": found}


def _prompt(asked: Asked, text: str) -> Json:
    known = asked.answer or {}
    if not text:
        raise _wanted(asked)
    if text.casefold() == "none":
        return None
    if text.casefold() in ("t2i", "edit"):
        if not known:
            raise UserError("there is no instruction whose task could change; type the instruction")
        return {**known, "task": text.casefold()}
    task = known.get("task") or ("edit" if edits(text) else "t2i")
    kept = {name: known[name] for name in ("about", "material") if name in known}
    return {"text": text, "clean": cleaned(text), "posts": known.get("posts", [asked.subject]), "task": task, **kept}


def _roles(asked: Asked, text: str) -> Json:
    rows = (asked.answer or {}).get("pictures", [])
    roles = _letters(asked, text, ROLES, len(rows), "pictures")
    # Boxes belong to a combined picture only, and those that a reader found in it stay.
    kept = [{**row, "role": role, "why": "a person said so"} for row, role in zip(rows, roles, strict=True)]
    return {"pictures": [{**row, "boxes": row.get("boxes", []) if row["role"] == "combined" else []} for row in kept]}


def _comments(asked: Asked, text: str) -> Json:
    rows = (asked.answer or {}).get("comments", [])
    verdicts = _letters(asked, text, VERDICTS, len(rows), "replies")
    told = zip(rows, verdicts, strict=True)
    return {"comments": [{**row, "verdict": each, **({} if each == "failure" else {"complaint": None})}
                         for row, each in told]}  # fmt: skip


def _letters(asked: Asked, text: str, known: Mapping[str, str], count: int, what: str) -> list[str]:
    letters = re.sub(r"[\s,;]", "", text).casefold()
    if len(letters) != count:
        raise UserError(f"there are {count} {what}, and {len(letters)} letters; {asked.question} wants "
                        f"{HINTS[asked.question]}")  # fmt: skip
    if not set(letters) <= known.keys():
        raise _wanted(asked)
    return [known[letter] for letter in letters]


def _blanks(asked: Asked, text: str) -> Json:
    rows: list[dict[str, Any]] = (asked.answer or {}).get("blanks", [])
    if not rows or asked.prompt is None:
        raise UserError("the instruction has no open place")
    values: dict[str, str] = {}
    if text.casefold() != "open":
        for part in filter(str.strip, text.split(";")):
            name, sign, filling = part.partition("=")
            if not sign or not filling.strip():
                raise _wanted(asked)
            values[name.strip().casefold()] = filling.strip()
    filled: str | None = asked.prompt
    told = []
    for row in rows:
        named = next((name for name in (row["place"], row["name"]) if name.casefold() in values), None)
        value = None if named is None else values.pop(named.casefold())
        told.append({"place": row["place"], "name": row["name"], "value": value})
        filled = None if filled is None or value is None else filled.replace(row["place"], value)
    if values:
        places = ", ".join(row["place"] for row in rows)
        raise UserError(f"there is no open place {', '.join(values)}; there are {places}")
    return {"blanks": told, "filled": filled}


def in_words(question: Question, answer: Json) -> str:
    """An answer as a person reads it."""
    if answer is None:
        return "no instruction" if question is Question.PROMPT else "unsure"
    match question:
        case Question.RELEVANCE:
            return str(answer["score"])
        case Question.QUALITY:
            return str(answer["label"])
        case Question.PROMPT:
            return f"{answer['task']}, about {answer.get('about') or 'no named model'}:\n{answer['text']}"
        case Question.ROLES:
            return ", ".join(each["role"] for each in answer["pictures"]) or "no pictures"
        case Question.BLANKS:
            filled = (f"{row['place']} = {row.get('value') or '?'}" for row in answer["blanks"])
            return "\n".join(filled) or "no open place"
        case Question.FEEDBACK:
            told = (f"{row['verdict']}: {' '.join(row['text'].split())[:120]}" for row in answer["comments"])
            return "\n".join(told) or "no reply says anything"
        case _:
            return msgspec.json.encode(answer).decode()
