"""scipy.spatial.distance: distances between points, differentiated in NumPy; see `adcompiler.runtime.scipy.distances`."""

from __future__ import annotations

from scipy.spatial import distance

from ...runtime.scipy import distances
from ..registry import written_out

written_out(distance.cdist, distances.between_sets)
written_out(distance.pdist, distances.within_set)
written_out(distance.squareform, distances.square_form)
written_out(distance.euclidean, distances.euclidean)
written_out(distance.sqeuclidean, distances.squared_euclidean)
written_out(distance.cityblock, distances.city_block)
written_out(distance.cosine, distances.cosine)
