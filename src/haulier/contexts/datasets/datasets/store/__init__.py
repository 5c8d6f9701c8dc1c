"""The tables of datasets and their SQL."""
