"""The history of the schema: one line of revisions, run on both databases. `haulier.adapters.migrations` runs it."""
