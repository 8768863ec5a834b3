"""From conversations to samples: what is relevant, what was asked for, what the pictures are, what people said.

Every question is put to a Reader (`ports.Reader`): a model, or local rules with small models. Every answer becomes a
Decision with its evidence, which a person can overrule. It does not know where posts come from.
"""
