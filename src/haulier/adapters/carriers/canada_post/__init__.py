"""Canada Post, by its published XML contracts: rating, contract shipping, manifests, tracking and pickups on demand."""
