"""Interfaces derived from the registry of operations.

They contain no business rules and depend on no context.
"""
