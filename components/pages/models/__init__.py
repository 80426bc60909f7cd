"""The parts of the page of models."""
