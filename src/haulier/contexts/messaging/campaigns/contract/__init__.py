"""Request and response models for SMS marketing."""
