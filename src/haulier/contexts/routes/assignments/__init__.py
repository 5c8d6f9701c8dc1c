"""Assignments: orders held by a contractor, who alone may plan them until the assignment is revoked or released."""
