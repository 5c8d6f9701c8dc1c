"""The pipeline: `run.py` is the list of its steps; each step that is more than a line has a file of its own."""
