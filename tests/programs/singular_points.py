"""Points without a derivative, and points where a naive rule divides by zero: the gradient is stated, not measured."""
import numpy as np
from numpy import array, inf

from tests.programs.program import Program

W = np.array([1.0, 2.0, 3.0, 4.0])


def norm(x):
    return np.linalg.norm(x)


def norm_squared(x):
    return np.linalg.norm(x) ** 2


def distances(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += np.linalg.norm(x[i] - x[j]) * (i + 1)
    return total


def root_of_sum_of_squares(x):
    return np.sqrt(np.sum(x * x) + 0.0) * 1.0 if np.any(x) else np.sum(x)


def square_root(x):
    return np.sqrt(x)


def masked_square_root(x):
    y = np.sqrt(x)
    return np.sum(np.where(x > 0.0, y, 0.0) * W[:3])


def square_root_zeroed_by_store(x):
    y = np.sqrt(x)
    y[x == 0.0] = 1.0
    return np.sum(y * W[:3])


def square_root_times_zero(x):
    return np.sum(np.sqrt(x) * np.array([0.0, 1.0, 2.0]))


def masked_logarithm(x):
    with np.errstate(all="ignore"):
        return np.sum(np.where(x > 0.0, np.log(x), 0.0) * W[:3])


def masked_quotient(x, y):
    with np.errstate(all="ignore"):
        q = x / y
    return np.sum(np.where(y != 0.0, q, x) * W[:3])


def maximum_with_constant(x):
    return np.sum(np.maximum(x, 0.0) * W[:3])


def maximum_of_two(x, y):
    return np.sum(np.maximum(x, y) * W[:3]) + np.sum(np.minimum(x, y))


def rectifier_as_branch(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + (i + 1) * (v if v > 0.0 else 0.0)
    return s


def rectifier_as_product(x):
    return np.sum(x * (x > 0.0) * W[:3])


def rectifier_by_builtin(x):
    return max(x, 0.0) + max(0.0, x) * 2.0


def absolute(x):
    return np.sum(np.abs(x) * W[:3]) + abs(x[0])


def clipped(x):
    return np.sum(np.clip(x, -1.0, 1.0) * W[:4])


def tied_maximum(x):
    return np.max(x) * 2.0 + np.min(x)


def tied_maximum_of_rows(m):
    return np.sum(np.max(m, axis=1) * W[:2])


def tied_sort(x):
    return np.sum(np.sort(x) * W)


def product_with_zero(x):
    return np.prod(x) + np.prod(x[1:])


def cumulative_product_with_zero(x):
    return np.sum(np.cumprod(x) * W)


def zero_to_constant_powers(x):
    return x ** 2 + x ** 1 + x ** 3.0 + 2.0 * x ** 0


def negative_base(x):
    return x ** 3 + x ** 2.0


def zero_base_active_exponent(x, p):
    return x ** p


def power_by_array_exponent(x):
    return np.sum(x ** np.array([0.0, 1.0, 2.0]))


def even_median(x):
    return np.median(x)


def log_of_sum_exp(z):
    shift = np.max(z)
    return shift + np.log(np.sum(np.exp(z - shift)))


def cross_entropy(z, k):
    shifted = z - np.max(z)
    return np.log(np.sum(np.exp(shifted))) - shifted[k]


def stable_logistic(x):
    return np.sum(np.where(x >= 0.0, 1.0 / (1.0 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1.0 + np.exp(-np.abs(x)))))


def softplus(x):
    return np.sum(np.logaddexp(0.0, x) * W[:3]) + np.sum(np.logaddexp(-inf, x))


def equal_logaddexp(a, b):
    return np.logaddexp(a, b)


def branch_not_taken_is_infinite(x):
    return 1.0 / x if x != 0.0 else x * 3.0


def singular_determinant(m):
    return np.linalg.det(m) + np.trace(m)


def equal_eigenvalues(m):
    w = np.linalg.eigvalsh(0.5 * (m + m.T))
    return np.sum(w ** 2) + np.sum(w)


def sinc_at_zero(x):
    return np.sum(np.sinc(x) * W[:2])


def step_with_flat_sides(x):
    return np.sum(np.where(x > 0.0, 1.0, 0.0) * np.sign(x) + np.floor(x) + np.round(x))


def arctan2_on_axis(y, x):
    return np.arctan2(y, x)


def hypot_on_axis(x, y):
    return np.hypot(x, y)


def norms_of_rows(m):
    return np.sum(np.linalg.norm(m, axis=1) * np.array([1.0, 2.0]))


def squared_norms_of_rows(m):
    return np.sum(np.linalg.norm(m, axis=1) ** 2 * np.array([1.0, 2.0]))


def minimum_with_constant(x):
    return np.sum(np.minimum(1.0, x) * W[:3])


def leaky_branch(x):
    return x if x > 0.0 else 0.1 * x


def clip_method(x):
    return np.sum(x.clip(0.0, 2.0) * W[:3]) + np.sum(np.clip(x, None, 2.0))


def tied_sort_of_rows(m):
    return np.sum(np.sort(m, axis=1) * np.arange(1.0, 7.0).reshape(2, 3))


def ranked_by_argsort(x):
    return np.sum(x[np.argsort(x, kind="stable")] * W)


def median_of_rows(m):
    return np.sum(np.median(m, axis=1) * np.array([1.0, 2.0]))


def running_product_by_loop(x):
    p, total = 1.0, 0.0
    for v in x:
        p = p * v
        total = total + p
    return total


def rank_one_determinant(m):
    return np.linalg.det(m)


def equal_eigenvalues_of_three(m):
    w = np.linalg.eigvalsh(m)
    return np.prod(w)


def masked_norm(x, use):
    r = np.linalg.norm(x)
    return r * r if use else np.sum(x)


softmax = np.exp([-1.0, -3.0, 0.0]) / np.sum(np.exp([-1.0, -3.0, 0.0]))
Z3 = array([1000.0, 998.0, 1001.0])

PROGRAMS = [
    Program(norm, (np.zeros(2),), gradient=(np.zeros(2),), note="norm at 0: 0"),
    Program(norm_squared, (np.zeros(3),), gradient=(np.zeros(3),), note="squared norm at 0 is smooth"),
    Program(distances, (array([[1.0, 0.0], [0.0, 0.0]]),), gradient=(array([[3.0, 0.0], [-3.0, 0.0]]),),
            note="distance of a point to itself"),
    Program(root_of_sum_of_squares, (np.zeros(2),), gradient=(np.ones(2),), note="the branch avoids the singular root"),
    Program(square_root, (0.0,), gradient=(inf,), note="sqrt at 0: inf"),
    Program(masked_square_root, (array([0.0, 1.0, 4.0]),), gradient=(array([0.0, 1.0, 0.75]),),
            note="zero adjoint wins over the infinite slope of sqrt: where"),
    Program(square_root_zeroed_by_store, (array([0.0, 1.0, 4.0]),), gradient=(array([0.0, 1.0, 0.75]),),
            note="zero adjoint wins over the infinite slope of sqrt: store"),
    Program(square_root_times_zero, (array([0.0, 1.0, 4.0]),), gradient=(array([0.0, 0.5, 0.5]),),
            note="zero adjoint wins over the infinite slope of sqrt: factor 0"),
    Program(masked_logarithm, (array([0.0, -1.0, 2.0]),), gradient=(array([0.0, 0.0, 1.5]),),
            note="where hides log(0)"),
    Program(masked_quotient, (array([1.0, 2.0, 3.0]), array([0.0, 2.0, 4.0])), (0, 1),
            gradient=(array([1.0, 1.0, 0.75]), array([0.0, -1.0, -9.0 / 16.0])), note="where hides 1/0"),
    Program(maximum_with_constant, (array([0.0, 1.0, -1.0]),), gradient=(array([0.0, 2.0, 0.0]),), note="relu at 0: 0"),
    Program(maximum_of_two, (array([1.0, 1.0, 2.0]), array([1.0, 2.0, 1.0])), (0, 1),
            gradient=(array([1.0, 1.0, 3.0]), array([1.0, 2.0, 1.0])), note="two active operands tie: half each"),
    Program(rectifier_as_branch, (array([0.0, 1.0, -1.0]),), gradient=(array([0.0, 2.0, 0.0]),), note="branch at 0"),
    Program(rectifier_as_product, (array([0.0, 1.0, -1.0]),), gradient=(array([0.0, 2.0, 0.0]),), note="mask at 0"),
    Program(rectifier_by_builtin, (0.5,), gradient=(3.0,), note="builtin max with a constant"),
    Program(absolute, (array([0.0, 1.0, -1.0]),), gradient=(array([0.0, 2.0, -3.0]),), note="abs at 0: 0"),
    Program(clipped, (array([1.0, -2.0, 0.3, -1.0]),), gradient=(array([1.0, 0.0, 3.0, 4.0]),),
            note="clip at its bounds: 1"),
    Program(tied_maximum, (array([1.0, 3.0, 3.0, 0.5]),), gradient=(array([0.0, 1.0, 1.0, 1.0]),),
            note="max shares among ties"),
    Program(tied_maximum_of_rows, (array([[1.0, 1.0, 0.0], [2.0, 3.0, 1.0]]),),
            gradient=(array([[0.5, 0.5, 0.0], [0.0, 2.0, 0.0]]),), note="max along an axis shares among ties"),
    Program(tied_sort, (array([2.0, 1.0, 2.0, 0.5]),), gradient=(array([3.0, 2.0, 4.0, 1.0]),),
            note="stable sort of ties"),
    Program(product_with_zero, (array([2.0, 0.0, 3.0]),), gradient=(array([0.0, 9.0, 0.0]),),
            note="prod with one zero"),
    Program(product_with_zero, (array([2.0, 0.0, 0.0]),), gradient=(np.zeros(3),), note="prod with two zeros",
            label="two zeros"),
    Program(cumulative_product_with_zero, (array([2.0, 0.0, 3.0, -1.0]),), gradient=(array([1.0, -2.0, 0.0, 0.0]),),
            note="cumprod through a zero"),
    Program(zero_to_constant_powers, (0.0,), gradient=(1.0,), note="0 to constant powers"),
    Program(negative_base, (-2.0,), gradient=(8.0,), note="negative base: no logarithm"),
    Program(zero_base_active_exponent, (0.0, 2.0), (0, 1), gradient=(0.0, 0.0), note="0 to an active exponent"),
    Program(power_by_array_exponent, (np.zeros(3),), gradient=(array([0.0, 1.0, 0.0]),), note="exponents 0, 1, 2 at 0"),
    Program(even_median, (array([4.0, 1.0, 3.0, 9.0]),), gradient=(array([0.5, 0.0, 0.5, 0.0]),), note="even median"),
    Program(log_of_sum_exp, (Z3,), gradient=(softmax,), note="no overflow"),
    Program(cross_entropy, (Z3, 2), gradient=(softmax - array([0.0, 0.0, 1.0]),), note="no overflow"),
    Program(stable_logistic, (array([-800.0, 0.5, 800.0]),),
            gradient=(array([0.0, np.exp(-0.5) / (1.0 + np.exp(-0.5)) ** 2, 0.0]),), note="saturated logistic"),
    Program(softplus, (array([-800.0, 0.0, 800.0]),), gradient=(array([1.0, 2.0, 4.0]),), note="saturated softplus"),
    Program(equal_logaddexp, (2.0, 2.0), (0, 1), gradient=(0.5, 0.5), note="logaddexp of equals"),
    Program(branch_not_taken_is_infinite, (0.0,), gradient=(3.0,), note="a branch not taken is not evaluated"),
    Program(singular_determinant, (array([[1.0, 2.0], [2.0, 4.0]]),), gradient=(array([[5.0, -2.0], [-2.0, 2.0]]),),
            note="determinant of a singular matrix: cofactors"),
    Program(equal_eigenvalues, (array([[2.0, 0.0], [0.0, 2.0]]),), gradient=(5.0 * np.eye(2),),
            note="symmetric function of equal eigenvalues"),
    Program(sinc_at_zero, (np.zeros(2),), gradient=(np.zeros(2),), note="removable singularity"),
    Program(step_with_flat_sides, (array([0.3, -0.7]),), gradient=(np.zeros(2),),
            note="zero derivative almost everywhere"),
    Program(arctan2_on_axis, (0.0, 2.0), (0, 1), gradient=(0.5, 0.0), note="arctan2 on an axis"),
    Program(hypot_on_axis, (0.0, 2.0), (0, 1), gradient=(0.0, 1.0), note="hypot on an axis"),
    Program(norms_of_rows, (array([[0.0, 0.0], [3.0, 4.0]]),), gradient=(array([[0.0, 0.0], [1.2, 1.6]]),),
            note="norm of a zero row: 0"),
    Program(squared_norms_of_rows, (array([[0.0, 0.0], [3.0, 4.0]]),), gradient=(array([[0.0, 0.0], [12.0, 16.0]]),),
            note="squared norms of rows are smooth"),
    Program(minimum_with_constant, (array([1.0, 0.5, 2.0]),), gradient=(array([0.0, 2.0, 0.0]),),
            note="tie with a constant: 0"),
    Program(leaky_branch, (0.0,), gradient=(0.1,), note="a branch has the derivative of the path taken"),
    Program(clip_method, (array([0.0, 2.0, 3.0]),), gradient=(array([2.0, 3.0, 0.0]),), note="x.clip, one open bound"),
    Program(tied_sort_of_rows, (array([[2.0, 1.0, 2.0], [0.5, 0.5, 0.1]]),),
            gradient=(array([[2.0, 1.0, 3.0], [5.0, 6.0, 4.0]]),), note="ties along an axis"),
    Program(ranked_by_argsort, (array([2.0, 1.0, 2.0, 0.5]),), gradient=(array([3.0, 2.0, 4.0, 1.0]),),
            note="ties by a stable argsort"),
    Program(median_of_rows, (array([[4.0, 1.0, 3.0, 9.0], [2.0, 0.0, 5.0, 7.0]]),),
            gradient=(array([[0.5, 0.0, 0.5, 0.0], [1.0, 0.0, 1.0, 0.0]]),), note="even medians along an axis"),
    Program(running_product_by_loop, (array([2.0, 0.0, 3.0]),), gradient=(array([1.0, 8.0, 0.0]),),
            note="product through a zero, as a loop"),
    Program(rank_one_determinant, (np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]),), gradient=(np.zeros((3, 3)),),
            note="determinant of rank one"),
    Program(equal_eigenvalues_of_three, (2.0 * np.eye(3),), gradient=(4.0 * np.eye(3),),
            note="product of equal eigenvalues"),
    Program(masked_norm, (np.zeros(2), True), gradient=(np.zeros(2),), note="norm at 0 times 0"),
]
