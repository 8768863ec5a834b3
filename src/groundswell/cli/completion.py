"""The command `completion`: what makes a shell complete commands and options. The scripts are click's own."""

from __future__ import annotations

import click

from groundswell.cli.printing import Result, finish

VARIABLE = "_GROUNDSWELL_COMPLETE"
"""The variable by which click is asked; it follows from the name of the program."""


@click.command(
    epilog='For good: bash and zsh, add eval "$(groundswell completion bash)" to ~/.bashrc (zsh: ~/.zshrc); fish, '
    "write the script to ~/.config/fish/completions/groundswell.fish."
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@finish
def completion(shell: str) -> Result:
    """Print the script that makes a shell complete the names of commands and options.

    Example: groundswell completion zsh
    """
    from click.shell_completion import get_completion_class

    from groundswell.cli import main

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"click knows no completion for {shell}")
    script = found(main, {}, "groundswell", VARIABLE).source()
    return Result(data={"shell": shell, "script": script}, show=lambda: click.echo(script))
