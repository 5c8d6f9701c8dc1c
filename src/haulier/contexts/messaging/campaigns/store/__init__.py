"""The tables of SMS Marketing."""
