"""The hook of the plain loop."""
