"""Languages and the message catalogues."""
