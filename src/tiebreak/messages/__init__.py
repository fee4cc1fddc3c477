"""All English about results: what records, notices and promises say, one theme per file."""
