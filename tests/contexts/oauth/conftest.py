"""Access tests run on an application that caches callers."""

from tests.support.app import remembering_app as app

__all__ = ["app"]
