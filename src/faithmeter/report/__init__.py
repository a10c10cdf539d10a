"""Reports: what a run found, in the forms people read."""
