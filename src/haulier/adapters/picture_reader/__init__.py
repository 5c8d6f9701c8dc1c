"""Barcode and text recognition for images, in a reader process."""
