"""Why a metric says nothing: the one exception that metrics raise, turned into NotApplicable where they are called.

It knows no metric. A value is never put in its place.
"""

from __future__ import annotations

from groundswell.errors import GroundswellError


class Inapplicable(GroundswellError):
    """The metric says nothing about these pictures; the text is the reason, naming the side."""
