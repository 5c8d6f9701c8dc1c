"""The outside world behind ports: an embedded default and a real implementation of each."""
