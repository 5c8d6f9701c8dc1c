"""Papers of shipments: commercial invoices, labels and manifests."""
