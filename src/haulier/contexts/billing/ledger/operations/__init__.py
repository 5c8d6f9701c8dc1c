"""Operations of the ledger."""
