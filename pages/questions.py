"""What do people ask and state about this layer, and what do the numbers answer? Where is a word, a name, a number or a shape?"""

from components.frame import open_lab
from components.pages.questions import page

open_lab()
page.show()
