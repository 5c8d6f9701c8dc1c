"""The dispatch board: all routes of a day, and the effects of a change before it is made."""
