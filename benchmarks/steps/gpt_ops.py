"""The ops of a transformer that minitorch has not yet, by the contract of minitorch.ops."""
from functools import lru_cache

import numpy as np

from minitorch.ops import _ones, _rows


def layernorm(x, gamma, beta, eps=1e-5):
    """γ(x − mean)/√(var + eps) + β along the last axis. Gradients: x, gamma, beta."""
    n = x.shape[-1]
    share = _ones(n, x.dtype)[:, None] / n      # a mean along the last axis, as a product
    hat = x - x @ share
    inverse = 1 / np.sqrt((hat * hat) @ share + eps)
    hat *= inverse
    out = hat * gamma
    out += beta
    def backward(grad):
        g, ones = _rows(grad), _ones(grad.size // n, grad.dtype)
        dx = grad * gamma
        mean, along = dx @ share, (dx * hat) @ share
        dx -= mean
        dx -= hat * along
        dx *= inverse
        return {"x": dx, "gamma": ones @ (g * _rows(hat)), "beta": ones @ g}
    return out, backward


def embedding(W_e, ids):
    """W_e[ids], ids of any shape. Gradient: W_e, as a product with the one-hot ids."""
    flat = ids.ravel()
    def backward(grad):
        hot = np.zeros((flat.size, len(W_e)), grad.dtype)
        hot[np.arange(flat.size), flat] = 1
        return {"W_e": hot.T @ _rows(grad)}
    return W_e[ids], backward


def positional_embedding(W_p, T, B):
    """The first T rows of W_p, for each of B texts: (B, T, d). Gradient: W_p."""
    def backward(grad):
        g = np.zeros_like(W_p)
        g[:T] = grad.sum(axis=0)
        return {"W_p": g}
    return np.broadcast_to(W_p[:T], (B, T, W_p.shape[1])), backward


def permute_bhtd(x):
    """(B, T, H, d) → (B, H, T, d) and back. Gradient: x."""
    return x.transpose(0, 2, 1, 3), lambda grad: {"x": grad.transpose(0, 2, 1, 3)}


def attention_scores(Q, K):
    """Q Kᵀ/√d. Gradients: Q, K."""
    scale = float(Q.shape[-1]) ** -0.5
    scaled = Q * scale      # Q is smaller than the scores
    def backward(grad):
        return {"Q": (grad @ K) * scale, "K": grad.swapaxes(-1, -2) @ scaled}
    return scaled @ K.swapaxes(-1, -2), backward


@lru_cache(maxsize=8)
def _mask(rows, columns, dtype, fill):
    past = np.tri(rows, columns, columns - rows, dtype=dtype)
    return past, (1 - past) * dtype.type(fill)


def causal_mask(S, fill=-1e9):
    """S with `fill` where a query would see its future. Gradient: S."""
    past, future = _mask(*S.shape[-2:], S.dtype, fill)
    out = S * past
    out += future
    return out, lambda grad: {"S": grad * past}


def attention_output(P, V):
    """P @ V. Gradients: P, V."""
    def backward(grad):
        return {"P": grad @ V.swapaxes(-1, -2), "V": P.swapaxes(-1, -2) @ grad}
    return P @ V, backward


def lm_head(h, W_e):
    """h @ W_eᵀ. Gradients: h, W_e."""
    rows = _rows(h)
    def backward(grad):
        g = _rows(grad)
        return {"h": (g @ W_e).reshape(h.shape), "W_e": g.T @ rows}
    return (rows @ W_e.T).reshape(*h.shape[:-1], -1), backward
