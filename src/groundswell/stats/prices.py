"""The price book: what a host charges for one picture and for a thousand, by what the workspace file states.

A price that is not known is None and never 0. Dates and sources stand beside the price; what a request is for is not
known here.
"""

from __future__ import annotations

from groundswell.records import Endpoint, Price, Usage


def per_image(endpoint: Endpoint, size: tuple[int, int] | None = None) -> float | None:
    """USD stated for one picture of the endpoint's settings: by size and quality (or resolution) where the book
    says so."""
    price = endpoint.price
    if price is None:
        return None
    settings = endpoint.settings_for(sized=size is not None)
    quality = str(settings.get("quality") or settings.get("resolution") or "")
    stated_size = "x".join(map(str, size)) if size else str(settings.get("size") or "")
    for name in (f"{stated_size} {quality}", stated_size, quality):
        if name.strip() in price.by_size:
            return price.by_size[name.strip()]
    return price.per_image


def per_thousand(endpoint: Endpoint) -> float | None:
    """USD for 1,000 pictures (METHODS, section 5), at the settings of the endpoint; None = not known."""
    stated = per_image(endpoint)
    if stated is None and endpoint.price is not None:
        price = endpoint.price
        usage = Usage(tokens_in=0, tokens_out=price.tokens_per_image)
        stated = price.per_call if price.per_call is not None else of_tokens(price, usage)
    return None if stated is None else round(stated * 1000, 9)


def of_tokens(price: Price, usage: Usage | None) -> float | None:
    """USD of counted tokens at their prices; None where a count or a price is not known."""
    if usage is None or usage.tokens_out is None or price.tokens_out is None:
        return None
    if price.tokens_in is None:
        return usage.tokens_out * price.tokens_out / 1_000_000
    if usage.tokens_in is None:
        return None
    return (usage.tokens_in * price.tokens_in + usage.tokens_out * price.tokens_out) / 1_000_000
