"""The page on which figures are taken away: which one, how it comes out, the preview, the files."""
