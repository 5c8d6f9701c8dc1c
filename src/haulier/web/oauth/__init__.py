"""OAuth protocol around the operations of the authorization server."""
