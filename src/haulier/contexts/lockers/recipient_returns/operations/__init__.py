"""Operations on recipients' returns."""
