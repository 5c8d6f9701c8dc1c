"""Actions on labels for other families and jobs."""
