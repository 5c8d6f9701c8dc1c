"""Analytics: sums of what happened by day, kept up to date with the records that they are about.

Words: entry (what one change adds to the sums), daily sum (all entries of a day, by what they are grouped by), fold (add
entries to the daily sums).
"""
