# Handed in as released.
