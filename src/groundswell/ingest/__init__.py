"""Readers of every platform's exports, and the threads that their posts make.

`detect` tells what a file is, `read_files` reads and merges exports, `stream` reads one large file; `ingest.threads`
joins posts into conversations. Nothing here fetches from a live platform.
"""

from groundswell.ingest.formats import FORMATS
from groundswell.ingest.reading import Detected, FileReport, FileSource, IngestResult, detect, read_files, stream

__all__ = ["FORMATS", "Detected", "FileReport", "FileSource", "IngestResult", "detect", "read_files", "stream"]
