"""Benchmarks as data: samples, rubrics and the arithmetic of their scores.

A suite turns the files of a published set (or a person's own rows) into `records.Sample`, says what a judge is asked
and computes scores from what was read. It asks nobody and stores nothing: picture bytes go through an injected `keep`.
"""
