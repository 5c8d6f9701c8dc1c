"""Pages on which people work with packing plans and load plans."""
