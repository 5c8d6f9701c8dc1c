"""Operations on device orders."""
