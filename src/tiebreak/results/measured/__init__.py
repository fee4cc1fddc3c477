"""What a campaign of ratings has found out: means, differences and directions, and the same in words."""
