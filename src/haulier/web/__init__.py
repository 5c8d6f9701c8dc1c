"""The web door: server-rendered pages over the same operations, readable without scripts."""
