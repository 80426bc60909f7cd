"""The page of questions: what people ask and state, and the search for everything."""
