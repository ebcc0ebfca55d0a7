"""PyTorch, eager, on one thread."""
import torch
from torch.nn import functional as F

from .common import BATCH, CHAIN, HEADS, LAYERS, RATE, TOKENS, VOCABULARY, WIDTH, batch_of, chain_start, gpt, mlp, text

torch.set_num_threads(1)


def build(workload, dtype, batch):
    return {"a": multilayer, "b": multilayer, "c": transformer, "d": chain}[workload](workload, dtype, batch)


def parameter(array):
    return torch.from_numpy(array.copy()).requires_grad_()


def multilayer(workload, dtype, batch):
    weights, biases = mlp(workload, dtype)
    weights, biases = [parameter(w.T.copy()) for w in weights], [parameter(b) for b in biases]
    X, Y, T = map(torch.from_numpy, batch_of(batch, dtype))
    optimizer = torch.optim.SGD(weights + biases, lr=RATE[workload])

    def step():
        optimizer.zero_grad()
        h = X
        if workload == "a":
            for W, b in zip(weights, biases, strict=True):
                h = torch.sigmoid(F.linear(h, W, b))
            loss = F.mse_loss(h, T, reduction="sum") / batch
        else:
            h = F.relu(F.linear(h, weights[0], biases[0]))
            h = F.relu(F.linear(h, weights[1], biases[1]))
            loss = F.cross_entropy(F.linear(h, weights[2], biases[2]), Y)
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def transformer(workload, dtype, batch):
    P = {k: parameter(a.T.copy() if k[:2] in ("Wq", "Wo", "W1", "W2") else a) for k, a in gpt(dtype).items()}
    ids, targets = map(torch.from_numpy, text())
    size = WIDTH // HEADS
    future = torch.triu(torch.ones(TOKENS, TOKENS, dtype=torch.bool), 1)
    optimizer = torch.optim.SGD(P.values(), lr=RATE["c"])

    def step():
        optimizer.zero_grad()
        x = F.embedding(ids, P["We"]) + P["Wp"][:TOKENS]
        for i in range(LAYERS):
            h = F.layer_norm(x, (WIDTH,), P[f"g1{i}"], P[f"b1{i}"])
            h = F.linear(h, P[f"Wqkv{i}"], P[f"bqkv{i}"])
            q, k, v = h.reshape(BATCH, TOKENS, 3, HEADS, size).permute(2, 0, 3, 1, 4)
            s = (q @ k.transpose(-1, -2)) * (1 / size**0.5)
            context = torch.softmax(s.masked_fill(future, float("-inf")), -1) @ v
            x = x + F.linear(context.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH), P[f"Wo{i}"], P[f"bo{i}"])
            h = F.layer_norm(x, (WIDTH,), P[f"g2{i}"], P[f"b2{i}"])
            h = F.gelu(F.linear(h, P[f"W1{i}"], P[f"c1{i}"]), approximate="tanh")
            x = x + F.linear(h, P[f"W2{i}"], P[f"c2{i}"])
        z = F.layer_norm(x, (WIDTH,), P["gf"], P["bf"]) @ P["We"].T
        loss = F.cross_entropy(z.reshape(-1, VOCABULARY), targets.reshape(-1))
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def chain(workload, dtype, batch):
    x, y = map(parameter, chain_start(dtype))

    def step():
        x.grad = y.grad = None
        h = x
        for _ in range(CHAIN):
            h = h * y + h
        loss = h.sum()
        loss.backward()
        return loss.item() + float(y.grad.sum()) + float(x.grad.sum())
    return step
