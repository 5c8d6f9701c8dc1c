"""EasyPost adapter for an aggregator of carriers.

Based on version 2 of its public documentation and the exchanges recorded by its own clients.
"""
