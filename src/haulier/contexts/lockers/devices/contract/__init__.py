"""Request and response models for devices, and the frames that devices exchange."""
