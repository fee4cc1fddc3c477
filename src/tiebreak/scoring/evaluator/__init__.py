"""A transformer that compares two outputs, trained from references, checkpoints and human labels (learning-to-compare).

Only `models`, `training` and what judges with a trained evaluator import torch.
"""
