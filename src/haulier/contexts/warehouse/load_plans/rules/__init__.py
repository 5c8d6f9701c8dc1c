"""What a load plan is made of."""
