"""Files with one table, from spreadsheets and other tools, as rows of text."""
