"""Hand-written SQL of the reads behind every table and socket; all other queries use the ORM, where they are needed."""
