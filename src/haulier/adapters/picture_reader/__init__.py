"""Reads barcodes and text of pictures, in a reader process."""
