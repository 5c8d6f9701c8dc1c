"""Users, client businesses, account kinds, sign-in and tokens."""
