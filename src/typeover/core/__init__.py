"""The words that everything shares: a round, a decision, what the user did, and who may play which part."""
