"""The dialects of model hosts, and the models that run in this process.

A dialect turns a request into calls and replies into outcomes; it opens no socket and holds no secret. Nothing here
knows what a benchmark is, who judges, or where records live.
"""
