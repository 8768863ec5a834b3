"""Where facts and bytes live: an SQL store (SQLite by default) and content-addressed blobs.

This room knows how records are kept, not what they mean. SQL is written here and nowhere else.
"""
