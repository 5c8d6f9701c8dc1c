"""What the database holds of offers and leases of locker boxes."""
