"""First steps: from an empty business to its first order."""
