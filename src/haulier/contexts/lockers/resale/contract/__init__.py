"""Request and response models for locker rentals and offers."""
