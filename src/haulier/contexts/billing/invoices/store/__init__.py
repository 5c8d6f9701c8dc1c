"""Store of invoices, of how customers are billed, and of letters to those who do not pay."""
