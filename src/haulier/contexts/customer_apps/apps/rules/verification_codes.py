"""Verification codes: how long they are, how long they last, and how often one may be asked for."""

from datetime import timedelta

CODE_DIGITS = 6
CODE_LIFETIME = timedelta(minutes=5)
CODE_ATTEMPTS_MAX = 5
"""Wrong guesses at one code."""

RESEND_AFTER_S = 60
"""Until the same phone may ask for another code, in seconds."""
