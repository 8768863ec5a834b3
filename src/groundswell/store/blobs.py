"""Bytes by the sha256 of their content, in a local folder or an object store.

The layout is `ab/cdef...`. Writing is whole or not at all, and reading proves the digest, so a damaged file is found by
whoever needs it. What the bytes are is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from groundswell.errors import BlobLost, StoreError, UserError


class ObjectBlobs:
    """Blobs over any object store that obstore opens."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def put(self, data: bytes) -> str:
        """Store bytes and give their digest (sha256, hex). Bytes that are there already are not written again."""
        digest = sha256(data).hexdigest()
        # A blob of another length is damaged (cut by a full disk); whoever has its bytes mends it.
        if self._length(digest) != len(data):
            with _told(f"the blob {digest[:12]} could not be written"):
                obstore.put(self._store, _name(digest), data)
        return digest

    def mend(self, data: bytes) -> str:
        """Store bytes in the place of what stands under their digest, whatever it is; gives the digest."""
        digest = sha256(data).hexdigest()
        with _told(f"the blob {digest[:12]} could not be written"):
            obstore.put(self._store, _name(digest), data)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes. Raises BlobLost when they are absent or no longer match their digest."""
        try:
            with _told(f"the blob {digest[:12]} could not be read"):
                data = bytes(obstore.get(self._store, _name(digest)).bytes())
        except FileNotFoundError:
            raise BlobLost(f"the blob {digest} is not in the store") from None
        if sha256(data).hexdigest() != digest:
            raise BlobLost(f"the blob {digest} is damaged: its bytes do not match their digest")
        return data

    def has(self, digest: str) -> bool:
        return self._length(digest) is not None

    def delete(self, digest: str) -> None:
        if self.has(digest):
            with _told(f"the blob {digest[:12]} could not be removed"):
                obstore.delete(self._store, _name(digest))

    def digests(self) -> Iterator[str]:
        """Digests of everything that is here, in no order."""
        with _told("the blobs could not be listed"):
            for page in obstore.list(self._store):
                for found in page:
                    digest = found["path"].replace("/", "")
                    if len(digest) == sha256().digest_size * 2:
                        yield digest

    def _length(self, digest: str) -> int | None:
        try:
            with _told(f"the blob {digest[:12]} could not be looked up"):
                return int(obstore.head(self._store, _name(digest))["size"])
        except FileNotFoundError:
            return None


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Turn an error of the object store into ours; absence stays FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (BaseError, OSError) as error:
        raise StoreError(f"{what}: {str(error).splitlines()[0]}") from None


def _name(digest: str) -> str:
    return f"{digest[:2]}/{digest[2:]}"


def open_blobs(place: str) -> ObjectBlobs:
    """Blobs at a folder or a URL (s3://bucket/prefix, gs://bucket/prefix, memory://). Credentials and addresses come
    from the environment variables that the service itself has for them.

    Raises UserError when the place cannot be opened.
    """
    try:
        if "://" in place:
            return ObjectBlobs(from_url(place))
        folder = Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        return ObjectBlobs(LocalStore(folder))
    except (BaseError, OSError) as error:
        raise UserError(f"blobs cannot be kept here ({str(error).splitlines()[0]})", where=place) from None
