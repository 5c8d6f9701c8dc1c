"""Zone maps as other families and contexts read them."""
