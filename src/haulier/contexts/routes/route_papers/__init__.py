"""Route papers: the manifest, and labels and packing slips in stop order."""
