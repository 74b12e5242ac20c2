"""The points at which functions of scipy.special are tried."""
import numpy as np

RNG = np.random.default_rng(3)
X = np.array([0.3, 0.9, 1.7, 2.6])  # positive
U = np.array([0.15, 0.4, 0.62, 0.9])  # between 0 and 1
W = np.array([-1.6, -0.7, 0.4, 2.2])  # of either sign
Z = np.array([0.6 + 0.4j, -0.7 + 0.9j, 1.3 - 0.8j])
N = np.array([0, 1, 2, 5])
V = np.array([0.3, 1.0, 2.5, 3.4])  # real orders
