"""The SQL of refused pushes and of carriers' messages."""
