"""What the collection as a whole says: complaints, novelty, diversity, fluency, the timeline, near-duplicates.

It reads texts and decisions that others made, and decides nothing about single posts.
"""
