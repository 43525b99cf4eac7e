"""The games' pages: views, and what they show."""
