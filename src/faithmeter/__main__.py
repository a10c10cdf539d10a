"""`python -m faithmeter` is `faithmeter`."""

from faithmeter.cli import main

main(prog_name="faithmeter")
