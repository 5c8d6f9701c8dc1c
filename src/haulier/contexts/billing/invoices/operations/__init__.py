"""Operations of invoices."""
