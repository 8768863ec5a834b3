"""Who is better, and do judges see it as people do: `rank` and `agree` on rows in memory or in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

from groundswell.boards import Anchor, RankOptions, parse_anchor
from groundswell.errors import UserError
from groundswell.flow import opinions
from groundswell.interchange import ours, reading, writing
from groundswell.notebook.frames import Table, frame_of, path_of
from groundswell.notebook.results import Agreement, Ranking

Ties = Literal["half", "davidson"]
"""How a tie counts: as half a win each, or by Davidson's model."""


def rank(  # noqa: PLR0913  these are the options of the command, by the same names
    comparisons: Any,
    *,
    anchor: str | tuple[str, float] | None = None,
    ties: Ties = "half",
    cluster: str | None = None,
    weights: str | None = None,
    bootstrap: int | None = None,
    seed: int = 0,
) -> Ranking:
    """Bradley-Terry ratings of comparisons: rows with `left`, `right` and `winner` (left, right, tie or both_bad).

    `comparisons` is a polars or pandas frame, an Arrow table, a list of dicts, or the path of a CSV, JSONL or Parquet
    file or of one in a format of others (LMArena, MT-bench, inspect_ai, Label Studio, Argilla); battles with `model_a`
    and `model_b` are understood in memory, too. `anchor` is a model, `"NAME=1000"` or a pair of both, whose rating the
    others are counted from. `cluster` and `weights` name columns. `bootstrap` is a number of draws; None = sandwich
    intervals. Ratings are points: 400 of them are odds of 10 to 1.

    Raises UserError, naming the row, for one that is not a comparison. Formulas: docs/method/ratings.md.
    """
    if ties not in get_args(Ties):
        raise UserError(f"ties are counted as {' or '.join(get_args(Ties))}, not as {ties}")
    options = RankOptions(
        anchor=_anchor(anchor), ties=ties, cluster=cluster, weights=weights, bootstrap=bootstrap or 0, seed=seed
    )
    return Ranking(opinions.rank(_source(comparisons), options))


def _anchor(anchor: str | tuple[str, float] | None) -> Anchor | None:
    if anchor is None or isinstance(anchor, str):
        return None if anchor is None else parse_anchor(anchor)
    return Anchor(*anchor)


def _source(rows: Any) -> opinions.Source:
    path = path_of(rows)
    return frame_of(rows) if path is None else path


def agree(judgments: Any, votes: Any, *, seed: int = 0) -> Agreement:
    """How far judges agree with people, with 95 % intervals over samples: Kendall's tau-b, accuracy, Krippendorff's
    alpha, Spearman.

    Both are frames, lists of dicts or paths, as for `rank`, whose rows have `sample`, `left`, `right`, `winner` and in
    `judgments` a `judge`, in `votes` a `rater`; a winner that is null could not be read. A row may have `order` in
    place of a pair: groups of models from best to worst. Raises UserError, naming the row. See docs/judging.md.
    """
    return Agreement(opinions.agree(_source(judgments), _source(votes), seed=seed))


def read_comparisons(path: str | Path) -> Table:
    """The rows of a file in a format of others: comparisons with the columns sample, left, right, winner, by, who, id
    and time (seconds since 1970), or grades with sample, model, judge, dimension and grade.

    A folder of inspect_ai's logs is read as one. Raises UserError with the file and the place of a fault, and for a
    file in none of the formats.
    """
    where = Path(path)
    carried = reading.read_folder(where) if where.is_dir() else reading.read(where)
    return Table(carried.frame, carried.format)


def write_comparisons(
    comparisons: Any,
    path: str | Path,
    to: Literal["lmarena", "mt-bench-pair", "mt-bench-single", "label-studio", "argilla"],
) -> int:
    """Write comparisons (for mt-bench-single grades) in a format of others; gives the number of rows written.

    `comparisons` has the columns left, right and winner, and may have sample, judge or rater, id and time. Raises
    UserError for a winner that is none, and an unknown format.
    """
    given = path_of(comparisons)
    frame = ours.read(given) if given is not None else ours.of_frame(frame_of(comparisons), "these rows")
    return writing.write(Path(path), frame, to)
