"""Settlements: money taken at doors, and what drivers and contractors are paid. Entries are written once and never changed."""
