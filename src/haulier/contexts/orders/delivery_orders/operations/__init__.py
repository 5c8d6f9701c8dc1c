"""Operations of delivery orders."""
