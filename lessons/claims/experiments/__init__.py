"""What claims and questions run here, by counting and by NumPy: functions of plain arguments that give plain numbers (`dict`)."""

from collections.abc import Mapping

from lessons.claims.experiments import formats, layer, masks, parameters, served

#: By the names that claims and questions call them.
EXPERIMENTS = {
    name: function
    for module in (formats, layer, masks, parameters, served)
    for name, function in vars(module).items()
    if getattr(function, "__annotations__", {}).get("return") is dict
}


def measure(name: str, arguments: Mapping[str, object]) -> dict:
    """Runs an experiment here and now. KeyError for a name that is none."""
    return EXPERIMENTS[name](**arguments)
