"""A small neural network in plain NumPy, trained on the handwritten digits that scikit-learn ships.

One hidden layer, softmax cross-entropy, mini-batches, Adam: every line of it is ordinary NumPy. The parameters are a
dataclass of arrays, and so is the gradient.

    python examples/digits.py [--quick] [--plot digits.png]
"""
import argparse
import sys
from dataclasses import dataclass, fields

import numpy as np
from sklearn.datasets import load_digits

import adcompiler as ad

HIDDEN = 64
BATCH = 64
WEIGHT_DECAY = 1e-4


@dataclass
class Network:
    """Weights and biases of 64 -> HIDDEN -> 10. With types written out, the code can be dumped without arguments."""

    w1: "float64[:, :]"  # noqa: F821
    b1: "float64[:]"  # noqa: F821
    w2: "float64[:, :]"  # noqa: F821
    b2: "float64[:]"  # noqa: F821

    def logits(self, images):
        """(batch, 64) -> (batch, 10)"""
        hidden = np.maximum(images @ self.w1 + self.b1, 0.0)
        return hidden @ self.w2 + self.b2


@ad.differentiable
def loss(network: Network, images: "float64[:, :]", labels: "int64[:]"):  # noqa: F821
    """Mean cross-entropy of a batch, plus weight decay. images: (batch, 64); labels: integers (batch,)."""
    scores = network.logits(images)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_normaliser = np.log(np.sum(np.exp(scores), axis=1))
    chosen = scores[np.arange(len(labels)), labels]
    return np.mean(log_normaliser - chosen) + WEIGHT_DECAY * (np.sum(network.w1 ** 2) + np.sum(network.w2 ** 2))


class Adam:
    """Kingma and Ba's update, in place on the arrays of a network."""

    def __init__(self, network, rate, decay1=0.9, decay2=0.999):
        self.rate, self.decay1, self.decay2, self.steps = rate, decay1, decay2, 0
        self.mean = {f.name: np.zeros_like(getattr(network, f.name)) for f in fields(network)}
        self.square = {f.name: np.zeros_like(getattr(network, f.name)) for f in fields(network)}

    def update(self, network, gradient):
        self.steps += 1
        for name, mean in self.mean.items():
            slope, square = getattr(gradient, name), self.square[name]
            mean += (1.0 - self.decay1) * (slope - mean)
            square += (1.0 - self.decay2) * (slope * slope - square)
            unbiased = mean / (1.0 - self.decay1 ** self.steps)
            scale = np.sqrt(square / (1.0 - self.decay2 ** self.steps)) + 1e-8
            parameters = getattr(network, name)
            parameters -= self.rate * unbiased / scale


def load(seed=0):
    """Images in [0, 1] and labels, shuffled: 1400 for training, the rest for the test."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    images, labels = images[order] / 16.0, labels[order]
    return images[:1400], labels[:1400], images[1400:], labels[1400:]


def initial_network(seed=0):
    rng = np.random.default_rng(seed)
    return Network(w1=rng.standard_normal((64, HIDDEN)) * np.sqrt(2.0 / 64), b1=np.zeros(HIDDEN),
                   w2=rng.standard_normal((HIDDEN, 10)) * np.sqrt(2.0 / HIDDEN), b2=np.zeros(10))


def accuracy(network, images, labels):
    return float(np.mean(np.argmax(network.logits(images), axis=1) == labels))


def train(network, images, labels, epochs, rate, seed=0):
    """Train in place; the mean loss of each epoch."""
    rng = np.random.default_rng(seed)
    adam = Adam(network, rate)
    history = []
    for _ in range(epochs):
        order = rng.permutation(len(labels))
        losses = []
        for first in range(0, len(order), BATCH):
            batch = order[first:first + BATCH]
            value, gradient = loss.value_and_grad(network, images[batch], labels[batch])
            adam.update(network, gradient)
            losses.append(value)
        history.append(float(np.mean(losses)))
    return history


def plot(history, filename):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    axes.semilogy(range(1, len(history) + 1), history)
    axes.set(xlabel="epoch", ylabel="mean loss")
    figure.savefig(filename, dpi=120)
    pyplot.close(figure)


def main(argv=None):
    """Train and print the accuracy; returns the loss of each epoch and the two accuracies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few epochs")
    parser.add_argument("--plot", metavar="FILE", help="save a plot of the loss (needs matplotlib)")
    options = parser.parse_args(argv)

    images, labels, test_images, test_labels = load()
    network = initial_network()
    before = accuracy(network, test_images, test_labels)
    history = train(network, images, labels, epochs=12 if options.quick else 60, rate=0.005)
    after = accuracy(network, test_images, test_labels)
    print(f"loss of the first epoch {history[0]:.3f}, of the last {history[-1]:.3f}")
    print(f"accuracy on {len(test_labels)} unseen digits: {before:.3f} before, {after:.3f} after training")
    if options.plot:
        plot(history, options.plot)
        print(f"plot saved to {options.plot}")
    return {"history": history, "accuracy": (before, after)}


if __name__ == "__main__":
    main(sys.argv[1:])
