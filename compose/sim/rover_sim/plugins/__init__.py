"""The hooks of the demo robot."""
