"""What the page of published models is made of."""
