"""Tables and queries of the ledger."""
