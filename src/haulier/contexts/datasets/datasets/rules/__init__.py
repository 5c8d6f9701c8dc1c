"""Rules of datasets."""
