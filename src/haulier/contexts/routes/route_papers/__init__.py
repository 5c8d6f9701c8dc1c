"""The papers of routes: the manifest, and labels and packing slips in the order of the stops."""
