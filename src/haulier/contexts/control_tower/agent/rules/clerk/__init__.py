"""The clerk: answers common questions of dispatchers by patterns, without a model.

It says so if it does not understand.
"""
