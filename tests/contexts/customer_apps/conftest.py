"""Who may come in is tested on an application that remembers callers."""

from tests.support.app import remembering_app as app

__all__ = ["app"]
