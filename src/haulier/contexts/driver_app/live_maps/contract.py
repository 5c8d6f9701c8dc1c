"""Request and response models of live maps."""

from datetime import datetime
from typing import Annotated

from haulier.contexts.driver_app.live_maps.rules import LiveMapState
from haulier.kernel.operations.answers import Answer, doc

Point = Annotated[list[float], doc("Latitude and longitude in decimal degrees (WGS 84).")]


class LiveDriver(Answer):
    """Last position of the driver, about ten metres exact."""

    lat: Annotated[float, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float, doc("Longitude in decimal degrees (WGS 84).")]
    observed_at: datetime


class DeliveryPosition(Answer):
    """Where the driver of a delivery is."""

    result: bool = True
    state: Annotated[
        LiveMapState,
        doc(
            "`live`: the driver is near and shown. `soon`: other stops come first. `no_position`: the device reports"
            " none. `off`: not on the way, or not shown by the business."
        ),
    ]
    stops_before: Annotated[int | None, doc("Number of stops before yours, if on the way.")] = None
    expected_at: Annotated[datetime | None, doc("Planned time of arrival.")] = None
    destination: Annotated[Point | None, doc("Your address: latitude and longitude.")] = None
    driver: LiveDriver | None = None
    line: Annotated[
        list[Point], doc("Line along the road from the driver to you, if yours is the next stop; else empty.")
    ] = []
    distance_m: Annotated[int | None, doc("Length of the line in metres.")] = None
