import pytest

from mha.loading import hdf5


@pytest.fixture(params=[hdf5.ByH5py, hdf5.ByPyfive])
def hdf5_library(request, monkeypatch) -> type:
    """Each of the two that read HDF5: the server's, and that of the build without a server."""
    monkeypatch.setattr(hdf5, "library", request.param)
    return request.param
