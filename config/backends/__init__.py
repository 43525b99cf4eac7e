"""Our versions of what Django lets a project choose: databases."""
