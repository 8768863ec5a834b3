"""The taxonomy of prompts as data: use cases, capabilities and styles with their names and hints in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from groundswell.records import Tags


class Term(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One word of the taxonomy; `name` and `hint` by language. The hint says what to look at."""

    id: str
    name: Mapping[str, str]
    hint: Mapping[str, str] = msgspec.field(default_factory=dict)


class Taxonomy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All terms; a prompt has one use case, one capability, and any number of styles."""

    use_case: tuple[Term, ...]
    capability: tuple[Term, ...]
    style: tuple[Term, ...]

    def terms(self, tags: Tags) -> list[Term]:
        """The terms of a sample's tags; a word that is not in the taxonomy stands for itself."""
        styles = tags.get("style", ())
        words = [("use_case", tags.get("use_case")), ("capability", tags.get("capability"))]
        words += [("style", word) for word in ([styles] if isinstance(styles, str) else styles)]
        return [self._term(axis, str(word)) for axis, word in words if word]

    def _term(self, axis: str, word: str) -> Term:
        known: tuple[Term, ...] = getattr(self, axis)
        return next((term for term in known if term.id == word), Term(id=word, name={}))


@cache
def taxonomy() -> Taxonomy:
    """The taxonomy that ships with the arena."""
    return msgspec.json.decode(files(__package__).joinpath("taxonomy.json").read_bytes(), type=Taxonomy)
