"""Values of custom fields: judged, kept in the row of their record, shown, filtered by, erased."""
