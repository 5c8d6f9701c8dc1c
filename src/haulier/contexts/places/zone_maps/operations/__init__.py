"""Operations on zone maps."""
