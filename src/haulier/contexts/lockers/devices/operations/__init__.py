"""Operations on devices, called by users and by the devices themselves."""
