"""Issued documents: issue, open and revoke them; verify any."""
