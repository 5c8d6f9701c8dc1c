"""HTTP: the response cache, conditional requests and rate limits."""
