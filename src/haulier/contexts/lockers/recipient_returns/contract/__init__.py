"""Request and response models for recipients' returns."""
