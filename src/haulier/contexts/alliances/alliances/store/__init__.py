"""The SQL of alliances."""
