"""What goes in and out of packing plans."""
