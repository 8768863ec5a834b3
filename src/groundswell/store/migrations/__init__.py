"""Migrations of the store, oldest first; each stands in a file of its own and is never edited after a release."""
