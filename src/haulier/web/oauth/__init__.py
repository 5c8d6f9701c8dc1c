"""OAuth: the words of its protocol around the operations of the authorisation server. No rule is decided here."""
