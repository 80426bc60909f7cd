"""What `pip install` takes: the packages, and beside them a folder with what Streamlit runs and serves (headcount/assets.py:
APP). All else about the package is in pyproject.toml, which cannot say both at once."""

from setuptools import find_namespace_packages, setup

setup(
    packages=[
        "headcount_app",
        *find_namespace_packages(include=["components*", "lessons*", "headcount", "headcount.*"], exclude=["*__pycache__"]),
    ],
    package_dir={"headcount_app": "."},
    package_data={"headcount_app": ["assets/**/*", "pages/*.py", ".streamlit/config.toml"]},
)
