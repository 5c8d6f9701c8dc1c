"""Tables and statements of the locker shop."""
