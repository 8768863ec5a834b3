"""The composition root: builds the parts from a Config and runs the stages in order.

It knows every room and computes nothing itself: what a stage does stands in its room, what a suite asks in `suites`.
"""
