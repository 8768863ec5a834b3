"""The only door to the network: connections, retries, key pools, rate limits, budgets and the clock.

Its modules: `door` (one exchange), `conversation` (a codec driven to its end), `lines` (how an endpoint is reached),
`keys`, `pace`, `pauses`, `bodies`, `addresses`, `budget`, `clock`. Nothing here knows what a request means.
"""
