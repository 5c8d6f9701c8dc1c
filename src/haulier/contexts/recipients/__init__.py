"""Recipients: what they are told of their deliveries, and what they may see and choose once they proved who they are."""
