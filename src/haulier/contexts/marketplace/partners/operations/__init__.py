"""Operations for partnerships, offers and reports."""
