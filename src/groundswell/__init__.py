"""Groundswell: a living benchmark for image generation, image editing and visual chat."""

__version__ = "0.1.0"
