"""Benchmarks of speed, relative to a bare server under the same load."""
