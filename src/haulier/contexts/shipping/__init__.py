"""Shipping: carriers, rates, labels and manifests."""
