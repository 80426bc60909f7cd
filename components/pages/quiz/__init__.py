"""The page of the quiz, one file a part."""
