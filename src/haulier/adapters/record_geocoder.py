"""Who knows where addresses are, for a port of datasets."""

from collections.abc import Sequence

from haulier.contexts.datasets.ports import PlaceFound
from haulier.kernel.call import Call


class NoRecordGeocoder:
    """Knows no address; datasets then say so, and geocode nothing."""

    available = False

    async def find_places(self, call: Call, addresses: Sequence[str]) -> list[PlaceFound | None]:
        """None for each."""
        return [None for _ in addresses]
