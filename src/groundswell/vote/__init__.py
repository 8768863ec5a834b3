"""The arena: which pair a person is shown, the ballot, the vote, what makes a vote doubtful, and the pages.

It writes votes and skips, and says which votes look wrong and why; what counts on a board is decided elsewhere.
"""
