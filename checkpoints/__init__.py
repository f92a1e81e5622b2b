"""Small trained models that come with the package."""
