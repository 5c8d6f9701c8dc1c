"""Reads barcodes and text of pictures, in a process of its own."""
