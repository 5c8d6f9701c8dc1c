"""Server-rendered web pages over the same operations, readable without scripts."""
