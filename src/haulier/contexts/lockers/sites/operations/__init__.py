"""Operations on sites, cabinets and boxes."""
