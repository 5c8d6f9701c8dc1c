"""What goes in and out of offers and leases of locker boxes."""
