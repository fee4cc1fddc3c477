"""An evaluator during training: is the model still getting better?"""
