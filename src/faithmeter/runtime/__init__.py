"""Small parts that every other room uses: sync over async, usage, the parser of specs."""
