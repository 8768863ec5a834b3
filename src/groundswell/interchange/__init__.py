"""The field's own formats, in and out: battles of arenas, judgments of MT-bench and of inspect_ai, votes of Label
Studio and Argilla, boxes of COCO.

A reader is told by the content, names the file and the place of every fault, and counts what it cannot carry over; a
writer gives what the format's own tools read. It does not know what comparisons count, or what they say of the models.
Prompt sets of published benchmarks are suites, and live there.
"""
