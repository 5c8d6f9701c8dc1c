"""Operations of recipients' returns."""
