"""What the tests of dialects share: a picture, a request, and replies as hosts document them."""

import msgspec
import pytest

from groundswell.records import Endpoint, Picture, Reply, Request, Splice
from groundswell.testing.host import picture

CAT = Picture(digest="cat", media_type="image/jpeg", width=640, height=480)
DOG = Picture(digest="dog", media_type="image/png", width=64, height=64)


@pytest.fixture
def cat():
    return CAT


@pytest.fixture
def dog():
    return DOG


@pytest.fixture
def png():
    return picture("a question")


@pytest.fixture
def begin():
    """Begins a request at an endpoint: `begin(codec, settings, **request)`."""

    def make(codec, settings=None, **request):
        fields = {"model": "m", "want": "picture", "parts": ("a red fox",)} | request
        host = {"base_url": "https://h.example/v1"} if codec.name in ("openai", "azure") else {}
        endpoint = Endpoint(name="e", host=codec.name, model=fields["model"], settings=settings or {}, **host)
        return codec.begin(endpoint, Request(**fields))

    return make


@pytest.fixture
def sent():
    """A call's JSON body, with a picture's name where its bytes go."""

    def read(call):
        return msgspec.json.decode(whole(call))

    return read


@pytest.fixture
def form():
    """The parts of a call's multipart form: (field, file name, content)."""

    def read(call):
        boundary = call.content_type.partition("boundary=")[2].encode()
        found = []
        for part in whole(call).split(b"--" + boundary)[1:-1]:
            head, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
            words = head.decode().split('"')
            found.append((words[1], words[3] if "filename" in head.decode() else None, content.decode()))
        return found

    return read


def whole(call):
    return b"".join(piece.picture.digest.encode() if isinstance(piece, Splice) else piece for piece in call.body)


@pytest.fixture
def answer():
    """What a codec makes of a reply to a call."""

    def read(codec, call, body, status=200, **headers):
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return codec.advance(Reply(call=call, status=status, headers=named, body=data))

    return read
