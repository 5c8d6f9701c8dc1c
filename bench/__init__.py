"""Speed, measured: every number is a ratio to a bare server under the same load in the same run."""
