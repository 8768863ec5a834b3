"""Every exception of the project, under one root, split by who can act on it.

`UserError` is for the person at the keyboard: its text is one sentence with the remedy in it, and the command line
prints it without a traceback. A refusal or a failure of one unit of work is not an exception but a record.
"""

from __future__ import annotations

from pathlib import Path


class GroundswellError(Exception):
    """Root of all errors that Groundswell raises on purpose."""


class UserError(GroundswellError):
    """The person at the keyboard can mend this: a file, an option, a configuration.

    `where` is the place that is wrong (a file, with a line where there is one); it is printed before the message.
    """

    def __init__(self, message: str, *, where: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.where = None if where is None else str(where)
        self.line = line
        super().__init__(str(self))

    def __str__(self) -> str:
        if self.where is None:
            return self.message
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {self.message}"


class HostError(GroundswellError):
    """A model's host did not do its part. `transient` says whether asking again can help."""

    def __init__(self, message: str, *, transient: bool, status: int | None = None) -> None:
        super().__init__(message)
        self.transient = transient
        self.status = status


class PluginError(GroundswellError):
    """A plugin could not be loaded or broke the contract of its seam."""


class StoreError(GroundswellError):
    """The store or the blobs are not as they should be: wrong version, damaged, not writable."""


class BlobLost(StoreError):
    """The bytes of a digest are not there, or are not what they were. It concerns what needs them, and nothing else."""


class BudgetExceeded(GroundswellError):
    """Going on would cost more than the person allowed, or an unknown amount that was not allowed."""
