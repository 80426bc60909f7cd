"""How do I get this picture into my slides or paper?"""

from components.frame import open_layer
from components.pages.figures import page
from components.widgets.refusal import config_or_end

settings = open_layer()
figure = page.chosen_figure()
if figure is None:
    page.show_wall(settings, config_or_end(settings))
else:
    page.show_figure(figure, settings, config_or_end(settings))
