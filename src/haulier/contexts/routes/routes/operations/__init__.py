"""Operations of routes: reading, planning, driving, and events at stops."""
