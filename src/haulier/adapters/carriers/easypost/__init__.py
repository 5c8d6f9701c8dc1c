"""EasyPost, an aggregator, by its public documentation and the exchanges that its own clients recorded, version 2."""
