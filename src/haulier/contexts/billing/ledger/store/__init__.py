"""The tables of the ledger and their SQL."""
