"""Store of invoices, billing terms and reminders."""
