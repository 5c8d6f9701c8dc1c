"""Request and response models for reservations."""
