"""Operations on locker parcels and their doors."""
