"""Providers of online payments, over HTTP."""
