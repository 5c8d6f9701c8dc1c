"""What the portal needs of the doors: they alone know how an operation looks from outside."""
