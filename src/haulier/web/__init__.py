"""The web pages: rendered on the server, over the same operations, readable without scripts."""
