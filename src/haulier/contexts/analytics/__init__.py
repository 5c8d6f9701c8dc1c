"""Analytics: daily sums of events, kept in sync with their records.

Terms: entry (contribution of one change to the sums), daily sum (all entries of a day by group), fold (add entries to
the daily sums).
"""
