"""The server's table of experiments against the files that it names, without importing TensorFlow."""

import ast

import pytest

from mha.assets import ROOT
from mha.keras.experiments import EXPERIMENTS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_is_a_function_of_the_file_that_the_table_names(name):
    file = ROOT / "mha/keras/experiments" / f"{EXPERIMENTS[name]}.py"
    functions = [node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
    assert name in functions
