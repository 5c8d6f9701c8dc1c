"""Tables and statements of sites, lockers, compartments and their occupancy."""
