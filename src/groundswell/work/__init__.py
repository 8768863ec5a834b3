"""The engine that runs every stage, and the pools in which units are done."""
