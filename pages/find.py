"""Where in this app is what I look for: a name, a number, a shape?"""

import streamlit as st

from components.frame import open_lab
from components.pages.find import page

open_lab()
title = st.empty()
query = page.field()
hits = page.found(query)
title.title(page.headline(query, hits))
page.show(query, hits)
