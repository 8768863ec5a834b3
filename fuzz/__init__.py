"""Damaged input for every parser that reads what strangers wrote: posts, judges' replies, votes, workspace files."""
