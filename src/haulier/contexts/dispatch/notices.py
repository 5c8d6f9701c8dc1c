"""Notice to those who follow a day of dispatch live: something that can be seen on the board has changed."""

from datetime import date

from haulier.kernel.call import Call

CHANNEL = "dispatch"
"""On this channel the database gives notice; the payload names the day."""


def give_notice(call: Call, day: date) -> None:
    """Wake whoever follows this day."""
    call.work.notify(CHANNEL, day.isoformat())
