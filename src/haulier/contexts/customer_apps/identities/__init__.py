"""Identities: bindings of users to identity providers and phones.

One binding applies to apps and the web.
"""
