"""The terms of the lesson, each with a sentence of explanation, for the pages and the search."""

from collections.abc import Mapping

from lessons.walk import STEPS

#: The meaning of each term; `_{…}` is a subscript.
GLOSSARY: Mapping[str, str] = {
    "head": "A head is one way of looking: it has queries, keys and values of its own, and mixes the values.",
    "X": "X is the input of the layer: a row of numbers for each token.",
    "d_{model}": "How many numbers a token has, in X and in the output.",
    "W_{Q}": "W_{Q} makes queries from X, W_{K} makes keys, and W_{V} makes values.",
    "W_{O}": "W_{O} mixes the results of all heads into the output of the layer.",
    "key size": "How many numbers a query and a key have in each head; the paper calls it d_{k}, Keras key_dim.",
    "bias": "A row of numbers that is added to every row of a matrix product.",
    "parameter": "A number that training sets, such as an entry of a weight matrix or of a bias.",
    "softmax": "Softmax turns a word’s scores into weights that sum to 1; a higher score gets a larger weight.",
    "mask": "A mask says which words may not be looked at: their weight is 0.",
    "map": "A map shows one head’s attention weights: a row for each query, a column for each key.",
}
#: Terms under which the walk explains a word, if it has another name for it.
SHOWN_AS = {"d_{model}": "X", "key size": "key_dim", "mask": "softmax"}
#: The terms of each page of the lesson, at most eight.
ON_PAGE: Mapping[str, tuple[str, ...]] = {
    "heads": ("head", "parameter", "bias", "W_{Q}", "W_{O}", "d_{model}", "key size", "X"),
    "trained_heads": ("head", "map", "softmax", "parameter"),
    "projections": ("X", "W_{Q}", "bias", "head", "key size", "d_{model}"),
    "attention": ("head", "map", "softmax", "mask", "key size"),
    "concatenation": ("head", "W_{O}", "bias", "d_{model}"),
}


def name_as_typed(word: str) -> str:
    """A term without subscript braces, such as W_Q for W_{Q}."""
    return word.replace("{", "").replace("}", "")


def step_of(word: str) -> int:
    """The number (from 1) of the walk's step that shows a term."""
    term = SHOWN_AS.get(word, name_as_typed(word))
    return next(number for number, step in enumerate(STEPS, 1) if term in step.terms)
