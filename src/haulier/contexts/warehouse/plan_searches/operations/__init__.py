"""Operations on plan searches."""
