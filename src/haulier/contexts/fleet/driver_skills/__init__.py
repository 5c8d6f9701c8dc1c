"""Skills: the catalogue of what a driver can do that an order may ask for, and who has which."""
