"""Asking models typed questions, and the one strict reading of what they answer."""
