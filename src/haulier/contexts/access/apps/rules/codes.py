"""Verification codes: how long they are, how long they last, and how often one may be asked for."""

from datetime import timedelta

DIGITS = 6
LIFETIME = timedelta(minutes=5)
ATTEMPTS = 5
"""Wrong guesses at one code."""

RESEND_AFTER_S = 60
"""Until the same phone may ask for another code, in seconds."""
