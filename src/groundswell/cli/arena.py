"""Commands of the arena: serve, freeze, admit, retire, release."""

from __future__ import annotations

from pathlib import Path

import click

from groundswell.cli.printing import Result, finish
from groundswell.cli.workspace import FOLDER


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@FOLDER
@finish
def serve(host: str, port: int, folder: Path) -> Result:
    """Open the arena and the site: people vote in a browser.

    Example: groundswell serve --port 8000
    """
    from groundswell.flow.arena import serve as open_arena

    open_arena(folder, host, port, lambda text: click.echo(text, err=True))
    return Result(data={"served": f"http://{host}:{port}/"}, show=lambda: None)
