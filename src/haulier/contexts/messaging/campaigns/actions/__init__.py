"""Writes of SMS Marketing that several operations and jobs share."""
