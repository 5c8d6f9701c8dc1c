"""Registration: how people become customers of a client by themselves, with a phone that they hold."""
