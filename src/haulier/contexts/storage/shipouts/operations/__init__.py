"""The operations of ship-outs."""
