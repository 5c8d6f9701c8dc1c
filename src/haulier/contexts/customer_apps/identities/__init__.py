"""Identities: whom an identity provider, or a telephone, knows a user as. One binding holds everywhere, apps and web alike."""
