"""SMS messages and SMS marketing."""
