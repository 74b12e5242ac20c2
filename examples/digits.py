"""A small neural network in plain NumPy, trained on the handwritten digits that scikit-learn ships.

One hidden layer, softmax cross-entropy, mini-batches, Adam: every line of it is ordinary NumPy. The parameters are the
leaves of a dataclass; a backward sweep adds to the gradient of each.

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
    """Weights and biases of 64 -> HIDDEN -> 10, as leaves: to the code that `record` runs they are arrays.

    With types written out, the code can be dumped without arguments.
    """

    w1: "float64[:, :]"  # noqa: F821
    b1: "float64[:]"  # noqa: F821
    w2: "float64[:, :]"  # noqa: F821
    b2: "float64[:]"  # noqa: F821

    @ad.differentiable
    def logits(self, images):
        """(batch, 64) -> (batch, 10)"""
        hidden = np.maximum(images @ self.w1 + self.b1, 0.0)
        return hidden @ self.w2 + self.b2

    def parameters(self):
        return [getattr(self, f.name) for f in fields(self)]


@ad.differentiable
def loss(network: Network, images: "float64[:, :]", labels: "int64[:]"):  # noqa: F821
    """Mean cross-entropy of a batch, plus weight decay. images: (batch, 64); labels: integers (batch,)."""
    scores = network.logits(images)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_normaliser = np.log(np.sum(np.exp(scores), axis=1))
    chosen = scores[np.arange(len(labels)), labels]
    return np.mean(log_normaliser - chosen) + WEIGHT_DECAY * (np.sum(network.w1 ** 2) + np.sum(network.w2 ** 2))


class Adam:
    """Kingma and Ba's update of leaves, by the gradients that they have accumulated."""

    def __init__(self, parameters, rate, decay1=0.9, decay2=0.999):
        self.parameters, self.rate, self.decay1, self.decay2, self.steps = parameters, rate, decay1, decay2, 0
        self.means = [np.zeros_like(p.value) for p in parameters]
        self.squares = [np.zeros_like(p.value) for p in parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.zero_grad()

    def step(self):
        self.steps += 1
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            slope = parameter.grad
            mean += (1.0 - self.decay1) * (slope - mean)
            square += (1.0 - self.decay2) * (slope * slope - square)
            unbiased = mean / (1.0 - self.decay1 ** self.steps)
            scale = np.sqrt(square / (1.0 - self.decay2 ** self.steps)) + 1e-8
            parameter.value -= self.rate * unbiased / scale


def load(seed=0):
    """Images in [0, 1] and labels, shuffled: 1400 for training, the rest for the test."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    images, labels = images[order] / 16.0, labels[order]
    return images[:1400], labels[:1400], images[1400:], labels[1400:]


def initial_network(seed=0):
    rng = np.random.default_rng(seed)
    return Network(w1=ad.leaf(rng.standard_normal((64, HIDDEN)) * np.sqrt(2.0 / 64)), b1=ad.leaf(np.zeros(HIDDEN)),
                   w2=ad.leaf(rng.standard_normal((HIDDEN, 10)) * np.sqrt(2.0 / HIDDEN)), b2=ad.leaf(np.zeros(10)))


def accuracy(network, images, labels):
    with ad.no_grad():
        run = network.logits.record(images)
    return float(np.mean(np.argmax(run.value, axis=1) == labels))


def train(network, images, labels, epochs, rate, seed=0):
    """Train in place; the mean loss of each epoch."""
    rng = np.random.default_rng(seed)
    optimiser = Adam(network.parameters(), rate)
    history = []
    for _ in range(epochs):
        order = rng.permutation(len(labels))
        losses = []
        for first in range(0, len(order), BATCH):
            batch = order[first:first + BATCH]
            optimiser.zero_grad()
            run = loss.record(network, images[batch], labels[batch])
            run.backward()
            optimiser.step()
            losses.append(run.value)
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
