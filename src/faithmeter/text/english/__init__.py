"""What is particular to English: numbers, dates, units, and the tables of words."""
