"""Customer credit, debts and online payments in a double-entry ledger."""
