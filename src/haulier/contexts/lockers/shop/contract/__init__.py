"""Request and response models for the locker shop."""
