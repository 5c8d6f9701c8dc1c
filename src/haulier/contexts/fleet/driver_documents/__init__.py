"""Documents of drivers: licences, insurances and others, with their reviews and expiry dates."""
