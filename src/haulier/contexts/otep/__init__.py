"""OTEP, the tracking protocol: its vocabulary, its timeline rules, its validator and its projections."""
