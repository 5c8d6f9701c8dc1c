"""Scan formats of carriers and aggregators, from documentation and messages."""

from haulier.contexts.otep.carriers.rules.scans import CarrierScanForm, first_time, ups_time

SHIPENGINE = CarrierScanForm(
    sender="shipengine",
    codes=("status_code", "status_detail_code"),
    hints=("event_code", "carrier_status_code", "status_description", "description", "carrier_status_description"),
    sealed=("event_code", "city_locality"),
    read_time=first_time("occurred_at", "event_date", "carrier_occurred_at"),
    text="description",
    city="city_locality",
    region="state_province",
    country=("country_code",),
    postal_code=("postal_code",),
)
EASYPOST = CarrierScanForm(
    sender="easypost",
    codes=("status", "status_detail"),
    hints=("carrier_code", "message", "description"),
    sealed=("carrier_code", "tracking_location.city", "message"),
    read_time=first_time("datetime", "created_at"),
    text="message",
    city="tracking_location.city",
    region="tracking_location.state",
    country=("tracking_location.country",),
    postal_code=("tracking_location.zip",),
)
SHIPPO = CarrierScanForm(
    sender="shippo",
    codes=("status", "substatus.code"),
    hints=("substatus", "status_details"),
    sealed=("location.city",),
    read_time=first_time("status_date", "object_created"),
    text="status_details",
    city="location.city",
    region="location.state",
    country=("location.country",),
    postal_code=("location.zip",),
)
AFTERSHIP = CarrierScanForm(
    sender="aftership",
    codes=("tag", "subtag"),
    hints=("raw_tag", "message", "subtag_message"),
    sealed=("city", "location"),
    # The second: carriers often give a local time only, and AfterShip reports when it saw the scan.
    read_time=first_time("checkpoint_time", "created_at"),
    text="message",
    city="city",
    region="state",
    country=("country_iso3", "country_region", "country"),
    postal_code=("zip", "postal_code"),
)
UPS_PUSH = CarrierScanForm(
    sender="ups",
    codes=("activityStatus.type", "activityStatus.code"),
    hints=("activityStatus.descriptionCode", "activityStatus.description"),
    sealed=("activityLocation.city", "activityLocation.country"),
    read_time=ups_time,
    text="activityStatus.description",
    city="activityLocation.city",
    region="activityLocation.stateProvince",
    country=("activityLocation.country",),
    postal_code=("activityLocation.postalCode",),
)
UPS_POLL = CarrierScanForm(
    sender="ups",
    codes=("status.type", "status.code"),
    coarse_code="status.statusCode",
    hints=("status.statusCode", "status.description"),
    sealed=("location.address.city", "location.address.countryCode"),
    read_time=ups_time,
    text="status.description",
    city="location.address.city",
    region="location.address.stateProvince",
    country=("location.address.countryCode", "location.address.country"),
    postal_code=("location.address.postalCode",),
)
