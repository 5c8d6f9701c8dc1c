"""Daily sums. Entries are appended with changes, and folded periodically.

Nothing waits: an entry is a new row, and a reader adds entries that are not folded yet.
"""
