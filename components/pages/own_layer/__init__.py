from components.page import Page
from headcount.files.layers import MAX_LAYERS
from headcount.settings import Whole

LAYER_OF_FILE = Whole(code="layer", default=1, least=1, most=MAX_LAYERS, label="Layer")

PAGE = Page(
    "own_layer", "Your own layer", "if you have trained one", settings=(LAYER_OF_FILE,),
    asked="visualize my own attention weights, load, upload, safetensors, npz",
)  # fmt: skip
