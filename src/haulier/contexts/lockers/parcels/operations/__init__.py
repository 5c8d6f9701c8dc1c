"""Operations on parcels in lockers, and on their doors."""
