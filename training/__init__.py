"""Makes the embedded verifier's weights from public data: see `training/README.md`."""
