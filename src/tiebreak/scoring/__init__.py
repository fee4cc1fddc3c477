"""Values that programs give: metrics of single outputs, and judges of two."""
