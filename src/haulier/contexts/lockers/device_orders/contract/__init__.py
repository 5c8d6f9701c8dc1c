"""Request and response models for device orders."""
