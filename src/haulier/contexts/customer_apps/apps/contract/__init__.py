"""What the world asks about apps, and gets."""
