"""The tables of records and their SQL."""
