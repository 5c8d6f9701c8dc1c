"""One time-ordered timeline per tracking number."""
