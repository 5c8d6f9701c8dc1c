"""Rules for simulated routes: pure functions on plain records."""
