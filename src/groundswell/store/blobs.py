"""Bytes by the sha256 of their content, in a local folder or an object store.

The layout is `ab/cdef...`. Writing is whole or not at all, and reading proves the digest, so a damaged file is found by
whoever needs it. What the bytes are is not known here.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import obstore
from obstore.store import LocalStore, ObjectStore, from_url

from groundswell.errors import StoreError


class ObjectBlobs:
    """Blobs over any object store that obstore opens."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def put(self, data: bytes) -> str:
        """Store bytes and give their digest (sha256, hex). Bytes that are there already are not written again."""
        digest = sha256(data).hexdigest()
        if not self.has(digest):
            try:
                obstore.put(self._store, _name(digest), data)
            except Exception as error:  # obstore raises a family of its own that differs by backend
                raise StoreError(f"the blob {digest[:12]} could not be written: {error}") from error
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes. Raises StoreError when they are absent or no longer match their digest."""
        try:
            data = bytes(obstore.get(self._store, _name(digest)).bytes())
        except FileNotFoundError:
            raise StoreError(f"the blob {digest} is not in the store") from None
        if sha256(data).hexdigest() != digest:
            raise StoreError(f"the blob {digest} is damaged: its bytes do not match their digest")
        return data

    def has(self, digest: str) -> bool:
        try:
            obstore.head(self._store, _name(digest))
        except FileNotFoundError:
            return False
        return True

    def delete(self, digest: str) -> None:
        if self.has(digest):
            obstore.delete(self._store, _name(digest))


def _name(digest: str) -> str:
    return f"{digest[:2]}/{digest[2:]}"


def open_blobs(place: str) -> ObjectBlobs:
    """Blobs at a folder or a URL (s3://bucket/prefix, gs://bucket/prefix, memory://)."""
    if "://" in place:
        return ObjectBlobs(from_url(place))
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    return ObjectBlobs(LocalStore(folder))
