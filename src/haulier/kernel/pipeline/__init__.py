"""The pipeline of a call.

`run.py` lists its steps; each longer step has its own file.
"""
