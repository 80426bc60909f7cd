from importlib import import_module

import pytest

from mha.loading import hdf5


@pytest.fixture(params=["h5py", "pyfive"])
def hdf5_library(request, monkeypatch) -> str:
    """Each of the two that read HDF5: the server's, and that of the build without a server."""
    monkeypatch.setattr(hdf5, "library", lambda: import_module(request.param))
    return request.param
