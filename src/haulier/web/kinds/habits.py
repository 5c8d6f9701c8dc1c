"""Language, country and currency in which values are typed and shown."""

from functools import cached_property

from babel import Locale


class Habits:
    """Language, currency and country of the reader, for typed and shown values."""

    def __init__(self, language: str, currency: str = "", country: str | None = None) -> None:
        self.locale = language.replace("-", "_")
        self.currency, self.country = currency, country

    @cached_property
    def names(self) -> Locale:
        """The names of countries, currencies and languages."""
        return Locale.parse(self.locale)
