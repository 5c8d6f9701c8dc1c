"""Providers of texts that tell what became of them: each speaks its own documented wire."""
