"""Places: the addresses that a business knows, and where on earth an address is."""
