"""The parts of the page of published models."""
