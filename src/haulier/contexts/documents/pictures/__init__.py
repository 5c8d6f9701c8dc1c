"""Pictures that are read: what stands on them."""
