"""Sessions of others: where the users of a business are signed in, for its admins to see and to end."""
