"""Operations on labels."""
