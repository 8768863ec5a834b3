"""Text rendering by OCR: how much of the wanted text can be read in the output.

The wanted text is known from a check of the sample or from quotes in its prompt. Neither spaces nor case count as
errors: OCR drops spaces where letters stand close. Style and layout of the text are not seen; the published scale,
which is a judge's, lives in `text_judge`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import ClassVar

import msgspec
import numpy as np

from groundswell.measure.gallery import GALLERY, Gallery, View
from groundswell.measure.metric import About, Inapplicable, PictureMetric, Seen
from groundswell.perception import ocr
from groundswell.records import Sample

WANTED_TEXT = "text"
"""Name of the check whose argument `text` (a string or a list) is what must stand in the picture."""

_QUOTES = re.compile(
    r'"([^"\n]{1,200})"|“([^”\n]{1,200})”|「([^」\n]{1,200})」|『([^』\n]{1,200})』|«([^»\n]{1,200})»'
    r"|(?<![\w'])'([^'\n]{2,200})'(?!\w)|‘([^’\n]{2,200})’"
)
_LATIN_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def quoted(prompt: str) -> list[str]:
    """Texts that stand in quotes in a prompt, in order."""
    return [next(group for group in match.groups() if group).strip() for match in _QUOTES.finditer(prompt)]


def wanted_text(sample: Sample) -> list[str]:
    """What must stand in the picture: from the check `text`, else from quotes in the prompts; empty = not known."""
    for check in sample.checks:
        if check.name == WANTED_TEXT:
            text = check.args.get("text", [])
            return [text] if isinstance(text, str) else list(text)
    prompts = list(sample.prompts.values())
    return quoted(prompts[0]) if prompts else []


# --- error rates --------------------------------------------------------------------------------------------------


def characters(text: str) -> list[str]:
    """Characters that count: compatibility forms and cases are one, white space is dropped."""
    return [letter for letter in folded(text) if not letter.isspace()]


def words(text: str) -> list[str]:
    """Words of Latin and other spaced scripts; every Chinese character is a word."""
    return _LATIN_WORD.findall(_IDEOGRAPH.sub(lambda match: f" {match.group()} ", folded(text)))


def folded(text: str) -> str:
    """Compatibility forms made one (NFKC), case folded: capitals are style, and OCR takes c for C."""
    return unicodedata.normalize("NFKC", text).casefold()


def edits(wanted: Sequence[str], read: Sequence[str], *, anywhere: bool = False) -> int:
    """Fewest insertions, deletions and substitutions from `read` to `wanted`.

    With `anywhere`, `wanted` is looked for inside `read`: what stands before and after it costs nothing (Sellers).
    """
    columns = np.arange(len(read) + 1)
    row = np.zeros(len(read) + 1, dtype=np.int64) if anywhere else columns.copy()
    tokens = np.array([*read, ""], dtype=object)[:-1]
    for token in wanted:
        best = np.minimum(row[1:] + 1, row[:-1] + (tokens != token))
        step = np.concatenate([[row[0] + 1], best])
        # An insertion adds one for every column to the right, so the row is a running minimum along a slope of one.
        row = np.minimum.accumulate(step - columns) + columns
    return int(row.min() if anywhere else row[-1])


class Errors(msgspec.Struct, frozen=True, kw_only=True):
    """Error rates of a reading against the wanted text; the ordered ones can pass 1 when too much was read."""

    cer: float
    """Character errors a wanted character, read as one text in reading order."""
    wer: float
    """Word errors a wanted word, the same way."""
    cer_order_free: float
    """Every line of the wanted texts looked for on its own, anywhere, the lines read down or up: 0..1."""
    wer_order_free: float


def errors(wanted: Sequence[str], lines: Sequence[str]) -> Errors:
    """Error rates of lines of text against wanted texts. Raises Inapplicable where nothing that counts is wanted."""
    rates: dict[str, float] = {}
    for name, split in (("cer", characters), ("wer", words)):
        total = sum(len(split(text)) for text in wanted)
        if total == 0:
            raise Inapplicable("the wanted text has no letters or digits")
        # Text that stands on its head or its side is read line by line, but from the last line to the first.
        down, up = (split("\n".join(order)) for order in (lines, lines[::-1]))
        rates[name] = edits(split("\n".join(wanted)), down) / total
        looked_for = [split(line) for text in wanted for line in text.splitlines()]
        free = (sum(edits(line, read, anywhere=True) for line in looked_for) for read in (down, up))
        rates[f"{name}_order_free"] = min(free) / total
    return msgspec.convert(rates, Errors)


class TextByOcr(PictureMetric):
    """Character error rate of the wanted text; order-free when it was only quoted, for other text may stand there."""

    name: ClassVar[str] = "ocr"
    needs_input: ClassVar[bool] = False
    about: ClassVar[About] = About(
        better="lower",
        unit="character errors a wanted character",
        low=0.0,
        high=None,
        blind="style and layout of text, lost spaces, scripts other than Chinese and Latin; OCR's own misreadings",
    )

    def __init__(self, gallery: Gallery = GALLERY, *, order_free: bool = True) -> None:
        super().__init__("pp-ocrv4" if order_free else "pp-ocrv4 in order", gallery)
        self._order_free = order_free

    def applies(self, sample: Sample) -> str | None:
        return None if wanted_text(sample) else "the wanted text is not known: no check `text`, no quotes in the prompt"

    def see(self, sample: Sample, inputs: Sequence[View], output: View) -> Seen:
        wanted = wanted_text(sample)
        if not wanted:
            raise Inapplicable("the wanted text is not known")
        lines = output.seen("text", ocr.read)
        rates = errors(wanted, [line.text for line in lines])
        value = rates.cer_order_free if self._order_free else rates.cer
        boxes = [{"text": line.text, "score": line.score, "corners": line.corners} for line in lines]
        return Seen(value=value, detail={**msgspec.to_builtins(rates), "wanted": wanted, "read": boxes})
