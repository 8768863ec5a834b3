"""The command line: parse, call, print; no logic.

Commands live in the modules of this package and load when they are called, so that `groundswell --help` stays quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("workspace", "The whole loop on real photographs, offline, with real measurements."),
    "init": ("workspace", "Make a workspace: a folder with a commented groundswell.toml."),
    "run": ("workspace", "Do what is missing in every stage of the workspace."),
    "status": ("workspace", "What exists, what is missing, what failed and why."),
    "doctor": ("workspace", "Check configuration, keys, store, disk and parts."),
    "boards": ("workspace", "Compute and print the boards of the workspace."),
    "explain": ("workspace", "Follow a model's number home: comparisons, grades, replies, outputs, samples."),
    "generate": ("workspace", "Run the stage generate alone."),
    "judge": ("judge", "Run the stage judge alone, or read judges' replies from a file."),
    "measure": ("workspace", "Run the stage measure alone."),
    "probe": ("probe", "Time one picture of each endpoint; the speed board."),
    "endpoint": ("probe", "Try one endpoint: endpoint test NAME."),
    "publish": ("workspace", "Write the snapshot and the static site."),
    "report": ("workspace", "One self-contained page and a Markdown table about the workspace."),
    "freeze": ("arena", "Freeze the runnable samples of a suite as an edition."),
    "compare": ("arena", "Two editions of a suite: what came, what went, how the boards moved."),
    "admit": ("arena", "Check new prompts for the arena; every rule says why."),
    "tag": ("arena", "Tags for prompts: proposed by a reader, confirmed by a person."),
    "retire": ("arena", "Which prompts no longer tell models apart."),
    "release": ("arena", "Write an edition as a folder that anybody can load and cite."),
    "serve": ("arena", "Open the arena and the site: people vote in a browser."),
    "suite": ("suite", "List, show, import, export suites; bring in results made elsewhere."),
    "score": ("score", "Score finished files: llava, cpi, echo."),
    "rank": ("score", "Rate models from comparisons in a CSV, JSONL or Parquet file."),
    "agree": ("score", "How far judges agree with people."),
    "metric": ("score", "Measure pairs of pictures: color, face, structure, text."),
    "exchange": ("exchange", "Comparisons, grades and boxes from and to the field's own formats."),
    "ingest": ("community", "Read posts from exports of X, Reddit, Bluesky, Mastodon, and others."),
    "collect": ("collect", "Collect posts from a live platform, with the conversations around them."),
    "duplicates": ("community", "Near-duplicates among the texts of Parquet files or JSON lines."),
    "threads": ("community", "Show the conversations among the posts of a workspace."),
    "curate": ("curation", "Make samples of posts: relevance, prompts, pictures, blanks, feedback, quality."),
    "forget": ("curation", "Remove a post and everything made of it."),
    "workspace": ("moving", "Move a workspace to other services; check that its bytes are whole."),
    "replay": ("moving", "Recompute published boards from stored facts and compare the numbers."),
    "completion": ("completion", "Print what makes bash, zsh or fish complete commands and options."),
    "plugins": ("workspace", "List the parts that are installed, by seam."),
}
"""Name -> (module, one line of help)."""


WORDS = "groundswell.words"
"""Under this name a context keeps the words of the command line."""


@contextmanager
def _told(words: list[str]) -> Iterator[None]:
    """Where the command line is used wrongly and asks for JSON, say so in JSON too."""
    try:
        yield
    except click.UsageError as error:
        from groundswell.cli.printing import tell_usage

        tell_usage(error, words)
        raise


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, not when help is printed."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        words = list(args)
        with _told(words):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[WORDS] = words
        return context

    def invoke(self, context: click.Context) -> Any:
        with _told(context.meta[WORDS]):
            return super().invoke(context)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"groundswell.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else "groundswell --help lists them"
            context.fail(f"there is no command {args[0]}; {hint}")
        return super().resolve_command(context, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Begin with: groundswell demo",
)
@click.version_option(package_name="groundswell")
def main() -> None:
    """A living benchmark for image generation, image editing and visual chat."""
    from groundswell.config import pin_native_threads

    pin_native_threads()
