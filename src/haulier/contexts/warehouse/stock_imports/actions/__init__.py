"""What imports do."""
