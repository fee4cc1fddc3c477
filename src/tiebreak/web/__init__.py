"""Pages of a campaign: people answer in a browser, and the owner sees how it stands. HTTP and pages only."""
