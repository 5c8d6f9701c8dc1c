"""OTEP, the tracking protocol: vocabulary, timeline rules, validator, projections."""
