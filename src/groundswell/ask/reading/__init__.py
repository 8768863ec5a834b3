"""The one strict reader of judges' replies: scores by dimension, or the reason why there are none."""

from groundswell.ask.reading.claims import Why
from groundswell.ask.reading.files import parse_file
from groundswell.ask.reading.replies import Read, read
from groundswell.ask.reading.verdicts import Verdict, VerdictRead, read_verdict

__all__ = ["Read", "Verdict", "VerdictRead", "Why", "parse_file", "read", "read_verdict"]
