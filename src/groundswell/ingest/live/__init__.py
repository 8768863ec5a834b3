"""Live platforms: posts searched for, and conversations grown from what is found.

A platform is a pure codec (`platform`): it makes requests and reads replies, whose JSON goes to the same readers as
export files do. `asking` carries requests through `groundswell.wire`, `collecting` is the stage that the engine runs,
`windows` says what is still missing. This is the only place of `ingest` that reaches the network.
"""
