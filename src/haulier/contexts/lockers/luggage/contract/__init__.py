"""Request and response models for the luggage relay."""
