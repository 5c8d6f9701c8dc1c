"""What a package can add to Haulier."""
