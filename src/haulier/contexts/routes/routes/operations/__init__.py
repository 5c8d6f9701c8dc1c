"""Routes: reading them, planning them, driving them, and what happens at their stops."""
