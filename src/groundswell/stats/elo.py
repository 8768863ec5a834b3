"""Online Elo, for charts of how ratings moved vote by vote; boards never rank by it, since it depends on the order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groundswell.stats.votes import Floats, Votes

START, STEP = 1000.0, 4.0
"""Rating before the first vote, and the most that one vote moves it."""


def elo_history(votes: Votes, marks: Sequence[int]) -> Floats:
    """Ratings after each number of votes in `marks` (ascending), shape (marks, models)."""
    rating = np.full(votes.models, START)
    history, seen = np.empty((len(marks), votes.models)), 0
    columns = (votes.left.tolist(), votes.right.tolist(), ((1 + votes.outcome) / 2).tolist())
    for row, mark in enumerate(marks):
        for left, right, points in zip(*(column[seen:mark] for column in columns), strict=True):
            surprise = points - 1 / (1 + 10 ** ((rating[right] - rating[left]) / 400))
            rating[left] += STEP * surprise
            rating[right] -= STEP * surprise
        seen = mark
        history[row] = rating
    return history
