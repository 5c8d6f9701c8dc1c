"""Signing: the certificates that this installation signs documents with."""
