"""Label sheets: the tasks of a campaign as a spreadsheet, and the answers in one that came back."""
