"""The desk: pages for people, derived from the registry as the other doors are."""
