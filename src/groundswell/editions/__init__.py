"""Editions: frozen lists of samples, and outputs that were made elsewhere."""
