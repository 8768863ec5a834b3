"""Small models that run in this process: each is loaded once, on first use, on one thread.

They see pixels and give boxes, vectors, text or scores; what those are good for is decided in the stages. A model
whose package is not installed raises `loading.NotInstalled` with the command that installs it.
"""
