"""What claims and questions run here, by counting and by NumPy: functions of plain arguments that give plain numbers."""

from lessons.claims.experiments import formats, layer, masks, parameters, served  # noqa: F401 (they register what they define)
