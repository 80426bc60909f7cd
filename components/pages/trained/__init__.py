"""What the page of trained heads shows and lets one choose."""
