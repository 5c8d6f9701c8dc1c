"""What a packing plan is made of."""
