"""Money, reserved before a request and settled after it. It knows prices, not what they buy.

Amounts are kept as whole nano-dollars, so that a thousand settlements of 0.1 cent are one dollar exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from groundswell.errors import BudgetExceeded

_NANO = 1_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """A reservation; settled exactly once."""

    amount: int | None
    """Nano-dollars held; None = the price is unknown."""


class Budget:
    """How much may be spent. `usd` None = no limit; then a price that is unknown is let through as well."""

    def __init__(self, usd: float | None, allow_unknown: bool = False, spent: float = 0.0) -> None:
        """`spent`: USD that earlier runs of the same budget have cost."""
        self._limit = None if usd is None else _nano(usd)
        self._allow_unknown = allow_unknown
        self._spent = _nano(spent)
        self._reserved = 0
        self._open: set[Token] = set()
        self.unknown = 0
        """Settled requests whose cost nobody knows; they are not in `spent`."""

    @property
    def spent(self) -> float:
        """USD settled so far."""
        return self._spent / _NANO

    @property
    def reserved(self) -> float:
        """USD held for requests under way."""
        return self._reserved / _NANO

    @property
    def left(self) -> float | None:
        """USD that can still be reserved; None = no limit. Never under 0, though a dearer answer may overspend."""
        if self._limit is None:
            return None
        return max(0, self._limit - self._spent - self._reserved) / _NANO

    def reserve(self, price: float | None) -> Token:
        """Hold `price` USD, the most that a request is expected to cost.

        Raises BudgetExceeded when it does not fit, or when it is unknown under a limit and that was not allowed.
        """
        if price is None:
            if self._limit is not None and not self._allow_unknown:
                raise BudgetExceeded("the price is unknown; give one in groundswell.toml or pass --allow-unknown-price")
            return self._keep(Token(None))
        amount = _nano(price)
        if self._limit is not None and self._spent + self._reserved + amount > self._limit:
            raise BudgetExceeded(
                f"{price:.6g} USD more would pass the budget of {self._limit / _NANO:.6g} USD "
                f"({self.spent:.6g} spent, {self.reserved:.6g} under way)"
            )
        return self._keep(Token(amount))

    def settle(self, token: Token, cost: float | None) -> None:
        """End a reservation with what it cost in USD; 0 for a request that was never sent.

        A cost that nobody knows is taken as the price reserved, or counted in `unknown` when there was none.
        """
        self._open.remove(token)
        self._reserved -= token.amount or 0
        if cost is not None:
            self._spent += _nano(cost)
        elif token.amount is not None:
            self._spent += token.amount
        else:
            self.unknown += 1

    def _keep(self, token: Token) -> Token:
        self._open.add(token)
        self._reserved += token.amount or 0
        return token


def _nano(usd: float) -> int:
    if not math.isfinite(usd) or usd < 0:
        raise ValueError(f"{usd} is not an amount of money")
    return round(usd * _NANO)
