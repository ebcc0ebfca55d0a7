"""minitorch, in plain calls: the model is written down, backward() does the rest."""
from minitorch.tensor import (
    Tensor,
    _apply,
    gelu,
    linear,
    relu,
    reshape,
    scale,
    sigmoid,
    softmax,
    softmax_cross_entropy,
    split3,
)

from . import gpt_ops
from .common import BATCH, CHAIN, HEADS, LAYERS, RATE, TOKENS, WIDTH, batch_of, chain_start, gpt, mlp, text


def build(workload, dtype, batch):
    return {"a": sigmoid_mlp, "b": relu_mlp, "c": transformer, "d": chain}[workload](dtype, batch)


def parameters(arrays):
    return [Tensor(a, requires_grad=True) for a in arrays]


def descend(parameters, rate):
    for p in parameters:
        p.data -= rate * p.grad
        p.grad = None


def sigmoid_mlp(dtype, batch):
    weights, biases = map(parameters, mlp("a", dtype))
    X, _, T = batch_of(batch, dtype)

    def step():
        h = Tensor(X)
        for W, b in zip(weights, biases, strict=True):
            h = sigmoid(linear(h, W, b))
        d = h - T
        loss = scale((d * d).sum(), 1 / batch)
        loss.backward()
        descend(weights + biases, RATE["a"])
        return float(loss)
    return step


def relu_mlp(dtype, batch):
    (W0, W1, W2), (b0, b1, b2) = map(parameters, mlp("b", dtype))
    X, Y, _ = batch_of(batch, dtype)

    def step():
        h = relu(linear(Tensor(X), W0, b0))
        h = relu(linear(h, W1, b1))
        loss = softmax_cross_entropy(linear(h, W2, b2), Y)
        loss.backward()
        descend((W0, W1, W2, b0, b1, b2), RATE["b"])
        return float(loss)
    return step


def op(function, *names):
    """A function of tensors from one of gpt_ops."""
    return lambda *tensors, **const: _apply(function, dict(zip(names, tensors, strict=True)), const)


layernorm = op(gpt_ops.layernorm, "x", "gamma", "beta")
embedding = op(gpt_ops.embedding, "W_e")
positional_embedding = op(gpt_ops.positional_embedding, "W_p")
permute_heads = op(gpt_ops.permute_bhtd, "x")
attention_scores = op(gpt_ops.attention_scores, "Q", "K")
causal_mask = op(gpt_ops.causal_mask, "S")
attention_output = op(gpt_ops.attention_output, "P", "V")
lm_head = op(gpt_ops.lm_head, "h", "W_e")


def transformer(dtype, batch):
    P, (ids, targets) = {name: Tensor(a, requires_grad=True) for name, a in gpt(dtype).items()}, text()
    size = WIDTH // HEADS

    def heads(x):
        return permute_heads(reshape(x, (BATCH, TOKENS, HEADS, size)))

    def step():
        x = embedding(P["We"], ids=ids) + positional_embedding(P["Wp"], T=TOKENS, B=BATCH)
        for i in range(LAYERS):
            h = layernorm(x, P[f"g1{i}"], P[f"b1{i}"])
            q, k, v = map(heads, split3(linear(h, P[f"Wqkv{i}"], P[f"bqkv{i}"])))
            context = attention_output(softmax(causal_mask(attention_scores(q, k))), v)
            context = reshape(permute_heads(context), (BATCH, TOKENS, WIDTH))
            x = x + linear(context, P[f"Wo{i}"], P[f"bo{i}"])
            h = layernorm(x, P[f"g2{i}"], P[f"b2{i}"])
            x = x + linear(gelu(linear(h, P[f"W1{i}"], P[f"c1{i}"])), P[f"W2{i}"], P[f"c2{i}"])
        loss = softmax_cross_entropy(lm_head(layernorm(x, P["gf"], P["bf"]), P["We"]), targets)
        loss.backward()
        descend(P.values(), RATE["c"])
        return float(loss)
    return step


def chain(dtype, batch):
    x, y = parameters(chain_start(dtype))

    def step():
        x.grad = y.grad = None
        h = x
        for _ in range(CHAIN):
            h = h * y + h
        loss = h.sum()
        loss.backward()
        return float(loss) + float(y.grad.sum()) + float(x.grad.sum())
    return step
