"""HIPS autograd."""
import autograd.numpy as anp
import numpy as np
from autograd import value_and_grad

from .common import BATCH, CHAIN, HEADS, LAYERS, RATE, TOKENS, WIDTH, batch_of, chain_start, gpt, mlp, text


def build(workload, dtype, batch):
    return {"a": multilayer, "b": multilayer, "c": transformer, "d": chain}[workload](workload, dtype, batch)


def cross_entropy(z, y):
    z = z - anp.max(z, axis=1, keepdims=True)
    return anp.mean(anp.log(anp.sum(anp.exp(z), axis=1)) - z[np.arange(len(y)), y])


def multilayer(workload, dtype, batch):
    weights, biases = mlp(workload, dtype)
    X, Y, T = batch_of(batch, dtype)

    def loss(P):
        h = X
        if workload == "a":
            for W, b in zip(P[:3], P[3:], strict=True):
                h = 1 / (1 + anp.exp(-(anp.dot(h, W) + b)))
            return anp.sum((h - T) ** 2) / batch
        h = anp.maximum(anp.dot(h, P[0]) + P[3], 0)
        h = anp.maximum(anp.dot(h, P[1]) + P[4], 0)
        return cross_entropy(anp.dot(h, P[2]) + P[5], Y)
    return descent(loss, weights + biases, dtype(RATE[workload]))


def descent(loss, P, rate):
    both = value_and_grad(loss)
    keys = P if isinstance(P, dict) else range(len(P))

    def step():
        value, grads = both(P)
        for k in keys:
            P[k] -= rate * grads[k]
        return float(value)
    return step


def layernorm(x, g, b):
    x = x - anp.mean(x, axis=-1, keepdims=True)
    return x / anp.sqrt(anp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * g + b


def transformer(workload, dtype, batch):
    ids, targets = text()
    size = WIDTH // HEADS
    future = np.where(np.triu(np.ones((TOKENS, TOKENS), bool), 1), -np.inf, 0).astype(dtype)

    def loss(P):
        x = P["We"][ids] + P["Wp"][:TOKENS]
        for i in range(LAYERS):
            h = layernorm(x, P[f"g1{i}"], P[f"b1{i}"])
            h = anp.reshape(anp.matmul(h, P[f"Wqkv{i}"]) + P[f"bqkv{i}"], (BATCH, TOKENS, 3, HEADS, size))
            q, k, v = anp.transpose(h, (2, 0, 3, 1, 4))
            s = anp.matmul(q, anp.swapaxes(k, -1, -2)) * dtype(1 / np.sqrt(size)) + future
            e = anp.exp(s - anp.max(s, axis=-1, keepdims=True))
            context = anp.matmul(e / anp.sum(e, axis=-1, keepdims=True), v)
            context = anp.reshape(anp.transpose(context, (0, 2, 1, 3)), (BATCH, TOKENS, WIDTH))
            x = x + anp.matmul(context, P[f"Wo{i}"]) + P[f"bo{i}"]
            u = anp.matmul(layernorm(x, P[f"g2{i}"], P[f"b2{i}"]), P[f"W1{i}"]) + P[f"c1{i}"]
            m = 0.5 * u * (1 + anp.tanh(float(np.sqrt(2 / np.pi)) * (u + 0.044715 * (u * u * u))))
            x = x + anp.matmul(m, P[f"W2{i}"]) + P[f"c2{i}"]
        z = anp.matmul(layernorm(x, P["gf"], P["bf"]), anp.transpose(P["We"]))
        return cross_entropy(anp.reshape(z, (-1, len(P["We"]))), targets.ravel())
    return descent(loss, gpt(dtype), dtype(RATE["c"]))


def chain(workload, dtype, batch):
    start = chain_start(dtype)

    def loss(start):
        h, y = start
        for _ in range(CHAIN):
            h = h * y + h
        return anp.sum(h)
    both = value_and_grad(loss)

    def step():
        value, (gx, gy) = both(start)
        return float(value) + float(gy.sum()) + float(gx.sum())
    return step
