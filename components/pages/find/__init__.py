"""What a visitor looks for, found among all pages, questions, claims, settings, steps and models."""
