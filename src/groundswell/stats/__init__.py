"""The mathematics of Groundswell: arrays in, arrays out.

Votes are arrays of model numbers, outcomes, weights and cluster numbers; names, records, files and stores are not
known here, and nothing prints, reads a clock or draws from a generator that was not seeded by the caller.
"""
