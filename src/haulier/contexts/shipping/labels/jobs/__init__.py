"""Work on labels in the background."""
