"""Operations on locker screens."""
