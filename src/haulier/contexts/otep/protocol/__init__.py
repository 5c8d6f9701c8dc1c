"""The protocol explains itself: its validator, its codebook, its schema and its guide."""
