"""Operations on records of datasets."""
