"""Static files: storage, bundler, service worker and web manifest; the sources are in `frontend/`."""
