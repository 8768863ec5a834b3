"""Who says how good outputs are: model judges, their panel, and checks that measure instead.

Judges emit verdicts and comparisons. They do not rate models: win rates, ratings and agreement belong to `stats` and
`boards`.
"""
