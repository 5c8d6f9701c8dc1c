"""How near built routes come to the best known, and how soon."""
