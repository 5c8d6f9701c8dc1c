"""Request and response models for packing plans."""
