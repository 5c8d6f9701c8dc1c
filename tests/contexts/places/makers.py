"""Open data for tests."""

CSV = """\
LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH
-79.3841,43.6534,100,Queen Street West,,Toronto,,ON,M5H 2N2,,a
-79.3901,43.6510,200,Queen Street West,,Toronto,,ON,M5T 1T9,,b
,,1,Nowhere,,Toronto,,ON,,,c
-79.3790,43.6480,1,King Street East,,Toronto,,ON,,,d
"""
"""A file of OpenAddresses: three addresses of Toronto, and a line that says no place."""
