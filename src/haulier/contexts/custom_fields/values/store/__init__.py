"""The SQL of values: the column that records have, and the keys by which they are found."""
