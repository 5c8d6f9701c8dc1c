"""Self-registration: somebody applies to drive for a business, and the business approves or rejects it."""
