"""Operations on datasets and their groups."""
