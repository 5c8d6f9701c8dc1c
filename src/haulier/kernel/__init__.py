"""The kernel: what every operation rests on, and nothing about any business.

Read `operation.py` (what an operation is), then `pipeline.py` (what happens to every call), then `call.py` (what a handler
gets). The kernel knows no context and no door; it asks its questions through `ports.py`.
"""
