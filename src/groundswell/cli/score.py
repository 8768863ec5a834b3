"""Commands on finished files, without a workspace: score, rank, agree, metric."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import Result, finish, record_rows, table, visible
from groundswell.errors import UserError

FILE = click.Path(path_type=Path)
TIES = "A tie is half a win each, or has a parameter of its own (Davidson)."
COMPAT = click.option(
    "--compat", type=click.Choice(["original"]), help="Reproduce the released code, to match published tables."
)


@click.group()
def score() -> None:
    """Score finished files: llava, cpi, echo.

    Example: groundswell score llava review.jsonl
    """


@score.command()
@click.argument("reviews", nargs=-1, required=True, type=FILE)
@COMPAT
@click.option("--without-ids", type=FILE, help="File of question ids to leave out, one a line.")
@finish
def llava(reviews: tuple[Path, ...], compat: str | None, without_ids: Path | None) -> Result:
    """Relative score of LLaVA-Bench review files.

    Example: groundswell score llava review.jsonl
    """
    from groundswell.suites.llava import score_reviews, unknown_ids

    data = score_reviews(list(reviews), compat=compat is not None, without_ids=without_ids)
    if without_ids is not None and (unknown := unknown_ids(list(reviews), without_ids)):
        click.echo(f"warning: {without_ids}: no review is of question {', '.join(unknown)}", err=True)
    columns = ("ratio", "reference", "candidate", "scored", "wanted")
    return Result(data=data, show=_by_category(data, columns))


def _by_category(data: dict[str, Any], columns: tuple[str, ...]) -> Callable[[], None]:
    def show() -> None:
        for title, scores in data.get("files", {None: data}).items():
            bounds = ("worst", "best") if any("worst" in row for row in scores.values()) else ()
            rows = [[name, *record_rows([row], (*columns, *bounds))[0]] for name, row in scores.items()]
            table(rows, ("category", *columns, *bounds), title=title)

    return show


@score.command()
@click.argument("cases", type=FILE)
@COMPAT
@finish
def cpi(cases: Path, compat: str | None) -> Result:
    """Scores of CPI-Bench cases by task, domain, dimension and language.

    Example: groundswell score cpi cases.jsonl
    """
    from groundswell.suites.cpi import score_cases

    data = score_cases(cases, compat=compat is not None)
    columns = ("name", "mean", "scored", "wanted")
    return Result(data=data, show=lambda: table(record_rows(data["groups"], columns), columns))


@score.command()
@click.argument("grades", type=FILE)
@finish
def echo(grades: Path) -> Result:
    """Win rates by ECHO's panel rule from rows {sample, model, judge, grade}.

    Example: groundswell score echo grades.jsonl
    """
    from groundswell.boards import score_echo_file

    data: Any = score_echo_file(grades)
    columns = ("model", "win_rate", "games", "wanted", "worst", "best")
    return Result(data=data, show=lambda: table(record_rows(data["models"], columns), columns))


@click.command()
@click.argument("comparisons", type=FILE)
@click.option("--anchor", metavar="NAME=RATING", help="Shift ratings so that this model has this rating.")
@click.option("--ties", type=click.Choice(["half", "davidson"]), default="half", show_default=True, help=TIES)
@click.option("--cluster", metavar="COL", help="Column whose rows hang together (prompt, rater).")
@click.option("--weights", metavar="COL", help="Column of weights.")
@click.option("--only", multiple=True, metavar="COL=VALUE", help="Count only these rows; may be given several times.")
@click.option("--bootstrap", type=click.IntRange(min=0), default=0, help="Draws for bootstrap intervals.")
@click.option(
    "--prior",
    type=click.FloatRange(min=0, min_open=True),
    metavar="POINTS",
    help="Standard deviation of a normal prior on ratings; the answer says that it is not maximum likelihood.",
)
@click.option("--dir", "folder", type=FILE, help="Workspace whose board COMPARISONS names, in place of a file.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap's draws.")
@finish
def rank(comparisons: Path, anchor: str | None, folder: Path | None, only: tuple[str, ...], **options: Any) -> Result:
    """Bradley-Terry ratings of left,right,winner rows, with intervals and what cannot be ranked. Battles of LMArena,
    judgments of MT-bench and of inspect_ai, votes of Label Studio and Argilla are told by their content.

    Example: groundswell rank votes.csv --anchor flux-schnell=1000
    """
    from groundswell.boards import RankOptions, parse_anchor, rank_comparisons

    if wrong := next((words for words in only if "=" not in words), None):
        raise UserError(f"--only takes COL=VALUE, such as by=panel, not {wrong}")
    kept = tuple((words.partition("=")[0], words.partition("=")[2]) for words in only)
    chosen = RankOptions(anchor=None if anchor is None else parse_anchor(anchor), only=kept, **options)
    if folder is None:
        from groundswell.flow.opinions import rank as rank_rows

        data = rank_rows(comparisons, chosen)
    else:
        from groundswell.flow.standing import comparisons_of
        from groundswell.flow.workspace import workspace

        with workspace(folder) as space:
            data = rank_comparisons(comparisons_of(space, str(comparisons)), chosen)
    if anchor is not None and data["method"]["anchor"] is None:
        click.echo(f"warning: {visible(data['method']['centre'])}", err=True)
    return Result(data=data, show=lambda: show_ratings(data))


def show_ratings(data: dict[str, Any]) -> None:
    """Print the ranked models, those that cannot be ranked, what was left out, and what the intervals lack."""
    rows = [[ranks(row), row["model"], row["rating"], row["low"], row["high"], row["games"]] for row in data["ratings"]]
    if rows:
        table(rows, ("rank", "model", "rating", "low", "high", "games"))
    else:
        click.echo("nobody is ranked")
    if data["unranked"]:
        rows = record_rows(data["unranked"], ("model", "side", "bound", "why"))
        table(rows, ("model", "side", "bound", "why"), title="Not ranked")
    for reason, count in data["left_out"].items():
        click.echo(f"left out: {count} {visible(reason)}")
    if data["ratings"] and (reason := data["method"].get("no_interval")) is not None:
        click.echo(f"no intervals: {visible(reason)}")
    for warning in data["method"].get("warnings", ()):
        click.echo(f"note: {visible(warning)}")
    if data.get("not_carried"):
        click.echo(f"read as {data['format']}, without {visible(', '.join(data['not_carried']))}")


def ranks(row: dict[str, Any]) -> str:
    """`1-3`, or `2` where the range is one rank."""
    low, high = row["rank_low"], row["rank_high"]
    return str(low) if low == high else f"{low}-{high}"


@click.command()
@click.argument("judgments", type=FILE)
@click.argument("votes", type=FILE)
@finish
def agree(judgments: Path, votes: Path) -> Result:
    """Agreement of judges with people, and of people among themselves; in our rows as JSON lines, or in a
    foreign format that rank reads.

    Example: groundswell agree judgments.jsonl votes.jsonl
    """
    from groundswell.flow.opinions import agree as agree_rows

    data = agree_rows(judgments, votes)
    columns = ("judge", "votes_judged", "unread", "tau_b", "accuracy", "alpha", "spearman", "flip_rate")
    return Result(data=data, show=lambda: table(record_rows(data["judges"], columns), columns))


@click.command()
@click.argument("name", type=click.Choice(["color", "face", "structure", "text"]))
@click.option("--input", "inputs", multiple=True, type=FILE, help="Input picture; may be given several times.")
@click.option("--output", type=FILE, help="Output picture.")
@click.option("--wanted", help="The text that should be in the output (metric text).")
@click.option("--pairs", type=FILE, help="JSONL of rows {input, output, wanted?}; paths start at the file.")
@click.option("--backend", help="The network that computes it, where there are several.")
@finish
def metric(name: str, inputs: tuple[Path, ...], output: Path | None, pairs: Path | None, **options: Any) -> Result:
    """Measure one pair of pictures, or many.

    Example: groundswell metric color --input before.png --output after.png
    """
    from groundswell.files import read_bytes
    from groundswell.measure import standalone

    if pairs is not None:
        data = standalone.pairs_file(name, pairs, options["backend"])
        columns = ("value", "backend", "why")
        return Result(data=data, show=lambda: table(record_rows(data["pairs"], columns), columns))
    if output is None:
        raise UserError("give --output PICTURE (and --input PICTURE), or --pairs FILE.jsonl")
    for picture in (*inputs, output):
        read_bytes(picture)
    one = standalone.pair(name, list(inputs), output, **options)
    return Result(data=one, show=lambda: table(record_rows([one], list(one)), list(one)))
