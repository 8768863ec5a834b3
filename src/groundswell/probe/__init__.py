"""How long an endpoint takes for one picture: a single timed request, when to make it, and what many of them say."""
