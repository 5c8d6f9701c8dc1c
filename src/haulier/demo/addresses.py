"""Street addresses and coordinates of public places in Toronto (open data)."""

PLACES = (
    ("City Hall", "100 Queen St W", "M5H 2N2", 43.6534, -79.3841),
    ("St. Lawrence Market", "93 Front St E", "M5E 1C3", 43.6487, -79.3716),
    ("Union Station", "65 Front St W", "M5J 1E6", 43.6453, -79.3806),
    ("Royal Ontario Museum", "100 Queens Park", "M5S 2C6", 43.6677, -79.3948),
    ("Art Gallery of Ontario", "317 Dundas St W", "M5T 1G4", 43.6536, -79.3925),
    ("Casa Loma", "1 Austin Terrace", "M5R 1X8", 43.6780, -79.4094),
    ("Toronto Reference Library", "789 Yonge St", "M4W 2G8", 43.6718, -79.3868),
    ("North York Civic Centre", "5100 Yonge St", "M2N 5V7", 43.7677, -79.4144),
    ("Scarborough Civic Centre", "150 Borough Dr", "M1P 4N7", 43.7731, -79.2578),
    ("Etobicoke Civic Centre", "399 The West Mall", "M9C 2Y2", 43.6436, -79.5654),
    ("East York Civic Centre", "850 Coxwell Ave", "M4C 5R1", 43.6925, -79.3286),
    ("Fort York", "250 Fort York Blvd", "M5V 3K9", 43.6375, -79.4063),
    ("High Park Library", "228 Roncesvalles Ave", "M6R 2L7", 43.6458, -79.4489),
    ("Evergreen Brick Works", "550 Bayview Ave", "M4W 3X8", 43.6846, -79.3654),
    ("Aga Khan Museum", "77 Wynford Dr", "M3C 1K1", 43.7252, -79.3322),
    ("Ontario Science Centre", "770 Don Mills Rd", "M3C 1T3", 43.7163, -79.3402),
    ("Black Creek Village", "1000 Murray Ross Pkwy", "M3J 2P3", 43.7739, -79.5171),
    ("Distillery District", "55 Mill St", "M5A 3C4", 43.6503, -79.3596),
    ("Wychwood Barns", "601 Christie St", "M6G 4C7", 43.6802, -79.4235),
    ("Beaches Library", "2161 Queen St E", "M4L 1J1", 43.6704, -79.2977),
    ("Toronto Zoo", "2000 Meadowvale Rd", "M1B 5K7", 43.8177, -79.1859),
    ("Humber Arboretum", "205 Humber College Blvd", "M9W 5L7", 43.7273, -79.6095),
    ("Exhibition Place", "100 Princes' Blvd", "M6K 3C3", 43.6335, -79.4150),
    ("Yorkdale Library", "3401 Dufferin St", "M6A 2T9", 43.7255, -79.4522),
)
DEPOTS = (
    ("Port Lands", "1 Cherry St", 43.6468, -79.3531),
    ("Downsview", "35 Carl Hall Rd", 43.7480, -79.4735),
)
DRIVERS = ("Dana Driver", "Dev Driver", "Dora Driver", "Dino Driver")
