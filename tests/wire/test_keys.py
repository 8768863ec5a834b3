import pickle

import msgspec
import pytest

from groundswell.errors import UserError
from groundswell.records import Broken
from groundswell.testing.clock import StillClock
from groundswell.wire.keyring import KeyRing
from groundswell.wire.keys import Key
from groundswell.wire.lines import Line

ONE = Key("ONE", "secret-number-one", "a")
TWO = Key("TWO", "secret-number-two", "a")
THREE = Key("THREE", "secret-number-three")
LINE = Line("judge", "https://host.example/v1", (ONE, TWO, THREE))


@pytest.fixture
def ring():
    return KeyRing(StillClock())


def test_a_key_shows_its_variable_and_never_its_secret():
    assert "secret" not in f"{ONE} {ONE!r} {LINE!r} {[ONE]}"
    with pytest.raises(TypeError):
        msgspec.json.encode(ONE)


def test_a_key_travels_to_other_processes():
    assert pickle.loads(pickle.dumps(ONE)).header("X-Key: {key}") == ("X-Key", "secret-number-one")


def test_a_key_of_two_halves_goes_into_a_header_as_base64_and_into_a_body_half_by_half():
    key = Key("APP", 'name:pass"word-0123')
    assert key.header("Authorization: Basic {basic}") == ("Authorization", "Basic bmFtZTpwYXNzIndvcmQtMDEyMw==")
    assert (key.half("name"), key.half("secret")) == (b"name", b'pass\\"word-0123')
    with pytest.raises(UserError, match=r"^ONE: must hold NAME:SECRET"):
        ONE.half("name")


def test_an_echo_of_the_base64_form_or_of_the_secret_half_is_cut_out():
    key = Key("APP", "name:password-0123")
    assert key.redact(b"Basic bmFtZTpwYXNzd29yZC0wMTIz; password-0123; name") == b"Basic [APP]; [APP]; name"


@pytest.mark.parametrize("secret", ["", "  ", "line\nbreak", "schlüssel"])
def test_an_unusable_key_is_an_error_that_names_the_variable_alone(secret):
    with pytest.raises(UserError) as caught:
        Key("MY_KEY", secret)
    assert str(caught.value).startswith("MY_KEY: ")
    assert secret.strip() == "" or secret not in str(caught.value)


def test_echoes_are_cut_out_plain_and_percent_encoded():
    key = Key("K", "a+b/c=secret")
    assert key.redact(b"x a+b/c=secret y a%2Bb%2Fc%3Dsecret z") == b"x [K] y [K] z"


def test_a_placeholder_is_not_cut_out_of_honest_words():
    assert Key("K", "none").redact(b"none of them") == b"none of them"


def test_keys_take_turns(ring):
    assert [ring.pick(LINE) for _ in range(4)] == [ONE, TWO, THREE, ONE]


def test_keys_of_one_account_cool_together_and_come_back(ring):
    ring.cool(LINE, ONE, 10.0)
    assert [ring.state(LINE, key) for key in LINE.keys] == ["cooling", "cooling", "ok"]
    assert {ring.pick(LINE) for _ in range(6)} == {THREE}
    ring._clock.advance(10.0)
    assert {ring.pick(LINE) for _ in range(6)} == {ONE, TWO, THREE}


def test_when_all_are_cooling_the_first_to_be_back_says_when(ring):
    ring.cool(LINE, ONE, 10.0)
    ring.cool(LINE, THREE, 4.0)
    assert ring.pick(LINE) == 4.0


def test_a_dead_key_leaves_its_group_alive(ring):
    ring.kill(LINE, ONE)
    assert [ring.state(LINE, key) for key in LINE.keys] == ["dead", "ok", "ok"]


def test_an_empty_account_takes_its_group_along(ring):
    ring.exhaust(LINE, TWO)
    assert [ring.state(LINE, key) for key in LINE.keys] == ["exhausted", "exhausted", "ok"]


def test_when_none_is_left_all_are_named_with_what_became_of_them(ring):
    ring.exhaust(LINE, TWO)
    ring.kill(LINE, ONE)
    ring.kill(LINE, THREE)
    end = ring.pick(LINE)
    assert isinstance(end, Broken)
    assert end.reason == "no usable key: ONE (refused by the host), TWO (no quota left), THREE (refused by the host)"


def test_a_host_without_keys_gets_none(ring):
    assert ring.pick(Line("local", "http://127.0.0.1:1/v1")) is None


def test_the_same_variable_at_another_host_is_another_key(ring):
    elsewhere = Line("other", "https://elsewhere.example/v1", (ONE,))
    ring.kill(LINE, ONE)
    assert ring.pick(elsewhere) is ONE
