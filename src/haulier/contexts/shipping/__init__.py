"""What a carrier carries for us: carriers, rates, labels, manifests."""
