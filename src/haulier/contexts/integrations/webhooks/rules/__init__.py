"""What webhooks decide: addresses, signatures, and what follows from how a receiver answered."""
