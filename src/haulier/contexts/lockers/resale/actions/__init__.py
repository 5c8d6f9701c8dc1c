"""What is done with offers and leases of locker boxes."""
