"""What can be said of a pattern before any event is looked at."""
