"""What the present layer costs to run."""
