"""Gap of built routes to the best known solutions, over time."""
