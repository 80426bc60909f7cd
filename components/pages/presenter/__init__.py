"""The presenter: a guided walk through the pages' own pictures, one message a step."""
