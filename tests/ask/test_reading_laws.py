"""Laws that the strict reader keeps for any reply."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundswell.ask.reading import read, read_verdict
from groundswell.records import Dimension

TWO = [Dimension(name="Prompt Following", low=1, high=5, step=1), Dimension(name="Artifacts", low=1, high=5)]
ONE = [Dimension(name="score", low=1, high=5)]

PIECES = [
    *("Prompt Following", "prompt_following", "Artifacts", "score", "Score:", "rating", "得分", "the candidate wrote"),
    *("4", "5", "-1", "9", "4.5", "/5", "/10", "４", "%", "of", "for", "and", "or", "not", "is", "the", ".", ",", "|"),
    *(
        ":",
        "：",
        "=",
        " ",
        "\n",
        "\r\n",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        "(",
        ")",
        '"',
        "'",
        "“",
        "”",
        "\x00",
        "\\boxed{",
    ),
    *("**", "`", "```", "```json", "<think>", "</think>", "> ", "# ", "- ", "1. "),
]
REPLIES = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


@settings(max_examples=400, deadline=None)
@given(REPLIES)
def test_it_never_raises_and_never_gives_a_number_outside_the_scale(reply):
    for dimensions in (ONE, TWO):
        found = read(reply, dimensions)
        assert all(1 <= value <= 5 for value in found.scores.values())
        assert (found.why is None) == (set(found.scores) == {dimension.name for dimension in dimensions})
        assert set(found.missing) == {dimension.name for dimension in dimensions} - set(found.scores)
    read_verdict(reply)


VALUES = st.integers(min_value=2, max_value=10).map(lambda half: half / 2)


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=1, max_value=5), VALUES)
def test_fences_emphasis_line_ends_and_order_change_nothing(first, second):
    wanted = {"Prompt Following": float(first), "Artifacts": second}
    lines = [f"Prompt Following: {first}", f"Artifacts: {second:g}"]
    body = f'{{"prompt_following": {first}, "artifacts": {second:g}}}'
    for reply in (
        "\n".join(lines),
        "\r\n".join(reversed(lines)),
        "\n".join(f"**{line}**" for line in lines),
        "\n".join(f"- *{line}/5*" for line in lines),
        "```\n" + "\n".join(lines) + "\n```",
        "<think>Artifacts: 1</think>\n" + "\n".join(lines),
        "\n".join(lines).translate({ord(str(digit)): chr(0xFF10 + digit) for digit in range(10)}),
        body,
        f"```json\n{body}\n```",
        f"My answer:\n{body}",
    ):
        assert read(reply, TWO).scores == wanted, reply


HOSTILE = [
    *("{", '{"a":', "[[", '"', '"\\', "*", "<think>", "</think>", "score ", "8,", "| 8 |\n", "the ", '{"score": 8} '),
    *("naturalness 8, ", "[[8]] "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_grows_with_the_length_and_not_with_its_square(piece):
    def seconds(length):
        reply = (piece * (length // len(piece) + 1))[:length]
        started = time.process_time()
        read(reply, TWO)
        return time.process_time() - started

    seconds(1_000)
    short, long = seconds(20_000), seconds(160_000)
    assert long < 8 * 4 * short + 0.3
