"""Sums by day. Entries are appended with the change that they count, and a periodic task folds them into daily sums.

Nobody waits for anybody: an entry is a new row, and a reader adds what is not folded yet.
"""
