"""ShipEngine (ShipStation API), an aggregator of dozens of carriers, by its published OpenAPI contract, version 1."""
