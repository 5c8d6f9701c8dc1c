"""Operations of the locker shop."""
