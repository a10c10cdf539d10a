"""One metric in every framework: a module for each, named after the package that it needs and imported when used."""
