"""The short version of the fuzzed HTTP surface; `make fuzz` sends more."""

from fuzz.surface import sent


def test_no_request_breaks_the_arena_or_gets_a_vote_or_a_secret_out_of_it() -> None:
    assert sent(examples := 15) > 15 * examples
