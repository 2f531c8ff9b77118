"""Properties fail on what they find, not on how long a loaded machine takes to find it."""

from hypothesis import settings

settings.register_profile("typeover", deadline=None)
settings.load_profile("typeover")
