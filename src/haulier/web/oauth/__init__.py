"""OAuth: its protocol around the operations of the authorisation server. No rule is decided here."""
