"""Operations on devices: of people, and of the devices themselves."""
