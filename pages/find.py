"""Where in this app is what I look for: a name, a number, a shape?"""

import streamlit as st

from components.frame import open_lab
from components.pages.find import page
from components.pages.find.entries import found

open_lab()
title = st.empty()
query = page.field()
hits = found(query, page.MOST_SHOWN)
title.title(page.headline(query, hits))
page.show(query, hits)
