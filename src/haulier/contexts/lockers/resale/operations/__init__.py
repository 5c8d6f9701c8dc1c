"""Operations on locker rentals and their offers."""
