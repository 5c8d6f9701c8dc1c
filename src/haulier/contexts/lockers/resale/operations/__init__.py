"""Operations on offers and leases of locker boxes."""
