"""Operations for zones, patterns, windows and reservations."""
