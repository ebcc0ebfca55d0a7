"""Hand-written NumPy: the loss and its gradients as formulas, as one writes them in a first script."""
import numpy as np

from .common import BATCH, CHAIN, HEADS, LAYERS, RATE, SIZES, TOKENS, WIDTH, batch_of, chain_start, gpt, mlp, text


def build(workload, dtype, batch):
    return {"a": sigmoid_mlp, "b": relu_mlp, "c": transformer, "d": chain}[workload](dtype, batch)


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def sigmoid_mlp(dtype, batch):
    weights, biases = mlp("a", dtype)
    weights = [np.ascontiguousarray(w.T) for w in weights]      # (out, in), as in the seed
    X, _, T = batch_of(batch, dtype)
    last = len(SIZES["a"]) - 2

    def step():
        activations = [X]
        for w, b in zip(weights, biases, strict=True):
            activations.append(sigmoid(activations[-1] @ w.T + b))
        n, a = len(X), activations[-1]
        loss = float(((a - T) ** 2).sum(axis=1).mean())
        delta = 2 * (a - T) * a * (1 - a) / n
        grads_w, grads_b = [None] * (last + 1), [None] * (last + 1)
        for i in range(last, -1, -1):
            grads_w[i], grads_b[i] = delta.T @ activations[i], delta.sum(axis=0)
            if i:
                delta = (delta @ weights[i]) * activations[i] * (1 - activations[i])
        for i in range(last + 1):
            weights[i] -= RATE["a"] * grads_w[i]
            biases[i] -= RATE["a"] * grads_b[i]
        return loss
    return step


def relu_mlp(dtype, batch):
    (W0, W1, W2), (b0, b1, b2) = mlp("b", dtype)
    X, Y, _ = batch_of(batch, dtype)
    rows = np.arange(batch)

    def step():
        h1 = np.maximum(X @ W0 + b0, 0)
        h2 = np.maximum(h1 @ W1 + b1, 0)
        z = h2 @ W2 + b2
        z = z - z.max(axis=1, keepdims=True)
        e = np.exp(z)
        s = e.sum(axis=1, keepdims=True)
        loss = float((np.log(s[:, 0]) - z[rows, Y]).mean())
        d = e / s
        d[rows, Y] -= 1
        d /= batch
        gW2, gb2 = h2.T @ d, d.sum(axis=0)
        d = (d @ W2.T) * (h2 > 0)
        gW1, gb1 = h1.T @ d, d.sum(axis=0)
        d = (d @ W1.T) * (h1 > 0)
        gW0, gb0 = X.T @ d, d.sum(axis=0)
        for p, g in zip((W0, W1, W2, b0, b1, b2), (gW0, gW1, gW2, gb0, gb1, gb2), strict=True):
            p -= RATE["b"] * g
        return loss
    return step


def layernorm(x, g, b):
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    x = centred * inverse
    return x * g + b, (x, inverse, g)


def layernorm_back(d, cache):
    x, inverse, g = cache
    dx = d * g
    dx = inverse * (dx - dx.mean(-1, keepdims=True) - x * (dx * x).mean(-1, keepdims=True))
    return dx, (d * x).sum((0, 1)), d.sum((0, 1))


def rows_of(a):
    return a.reshape(-1, a.shape[-1])


def transformer(dtype, batch):
    P, (ids, targets) = gpt(dtype), text()
    B, T, d, size = BATCH, TOKENS, WIDTH, WIDTH // HEADS
    scale, future, root = dtype(1 / np.sqrt(size)), np.triu(np.ones((T, T), bool), 1), float(np.sqrt(2 / np.pi))
    flat, rows = targets.ravel(), np.arange(targets.size)

    def step():
        G, caches = {}, []
        x = P["We"][ids] + P["Wp"][:T]
        for i in range(LAYERS):
            h, cache1 = layernorm(x, P[f"g1{i}"], P[f"b1{i}"])
            q, k, v = (h @ P[f"Wqkv{i}"] + P[f"bqkv{i}"]).reshape(B, T, 3, HEADS, size).transpose(2, 0, 3, 1, 4)
            s = (q @ k.swapaxes(-1, -2)) * scale
            s[..., future] = -np.inf
            s -= s.max(-1, keepdims=True)
            p = np.exp(s)
            p /= p.sum(-1, keepdims=True)
            context = (p @ v).transpose(0, 2, 1, 3).reshape(B, T, d)
            x = x + context @ P[f"Wo{i}"] + P[f"bo{i}"]
            h2, cache2 = layernorm(x, P[f"g2{i}"], P[f"b2{i}"])
            u = h2 @ P[f"W1{i}"] + P[f"c1{i}"]
            t = np.tanh(root * (u + 0.044715 * (u * u * u)))
            m = 0.5 * u * (1 + t)
            x = x + m @ P[f"W2{i}"] + P[f"c2{i}"]
            caches.append((h, cache1, q, k, v, p, context, h2, cache2, u, t, m))
        last, cache = layernorm(x, P["gf"], P["bf"])
        z = rows_of(last @ P["We"].T)
        z = z - z.max(1, keepdims=True)
        e = np.exp(z)
        s = e.sum(1, keepdims=True)
        loss = float((np.log(s[:, 0]) - z[rows, flat]).mean())
        g = e / s
        g[rows, flat] -= 1
        g /= flat.size
        G["We"] = g.T @ rows_of(last)
        g, G["gf"], G["bf"] = layernorm_back((g @ P["We"]).reshape(B, T, d), cache)
        for i in range(LAYERS - 1, -1, -1):
            h, cache1, q, k, v, p, context, h2, cache2, u, t, m = caches[i]
            G[f"W2{i}"], G[f"c2{i}"] = rows_of(m).T @ rows_of(g), g.sum((0, 1))
            du = (g @ P[f"W2{i}"].T) * (0.5 * (1 + t) + 0.5 * u * (1 - t * t) * (root * (1 + 3 * 0.044715 * u * u)))
            G[f"W1{i}"], G[f"c1{i}"] = rows_of(h2).T @ rows_of(du), du.sum((0, 1))
            dh, G[f"g2{i}"], G[f"b2{i}"] = layernorm_back(du @ P[f"W1{i}"].T, cache2)
            g = g + dh
            G[f"Wo{i}"], G[f"bo{i}"] = rows_of(context).T @ rows_of(g), g.sum((0, 1))
            dc = (g @ P[f"Wo{i}"].T).reshape(B, T, HEADS, size).transpose(0, 2, 1, 3)
            dv, dp = p.swapaxes(-1, -2) @ dc, dc @ v.swapaxes(-1, -2)
            ds = p * (dp - (dp * p).sum(-1, keepdims=True)) * scale
            dqkv = np.stack((ds @ k, ds.swapaxes(-1, -2) @ q, dv)).transpose(1, 3, 0, 2, 4).reshape(B, T, 3 * d)
            G[f"Wqkv{i}"], G[f"bqkv{i}"] = rows_of(h).T @ rows_of(dqkv), dqkv.sum((0, 1))
            dh, G[f"g1{i}"], G[f"b1{i}"] = layernorm_back(dqkv @ P[f"Wqkv{i}"].T, cache1)
            g = g + dh
        np.add.at(G["We"], ids, g)
        G["Wp"] = g.sum(0)
        for name, grad in G.items():
            P[name] -= dtype(RATE["c"]) * grad
        return loss
    return step


def chain(dtype, batch):
    x, y = chain_start(dtype)

    def step():
        past, h = [], x
        for _ in range(CHAIN):
            past.append(h)
            h = h * y + h
        loss, g, gy = h.sum(), np.ones(4, dtype), np.zeros(4, dtype)
        for h in reversed(past):
            gy += g * h
            g = g * y + g
        return float(loss) + float(gy.sum()) + float(g.sum())
    return step
