"""What the public gets: a snapshot of the facts behind the boards, a static site of it, and the way from a number home.

`snapshot` gathers and writes facts, `site` and `report` draw them, `explain` follows one rating back. Nothing here
computes a rating or decides what counts.
"""
