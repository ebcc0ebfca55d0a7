"""The picture of a graph: what is in it, folded where it is large, and never in the way of backward."""
import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from minitorch.graph import Graph
from minitorch.tensor import Tensor, linear, no_grad, relu


def texts(graph):
    root = ET.fromstring(graph._repr_svg_())
    return ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]


def mlp():
    rng = np.random.default_rng(0)
    W, b = Tensor(rng.random((4, 3)), requires_grad=True), Tensor(np.zeros(3), requires_grad=True)
    return W, b, (relu(linear(Tensor(rng.random((5, 4))), W, b)) ** 2).sum()


def test_ops_shapes_and_names():
    W, b, loss = mlp()
    found = texts(loss.graph(names={"weights": W, "a<b": b}))
    for text in ("linear", "relu", "power", "sum_all", "weights", "a<b", "data", "(4, 3)", "(5, 3)", "W"):
        assert text in found, text


def test_norms_come_with_backward():
    W, b, loss = mlp()
    graph = loss.graph()
    assert not any("grad" in t for t in texts(graph))
    loss.backward()
    shown = [t for t in texts(graph) if t.startswith("‖grad‖")]
    assert len(shown) == 6 and f"‖grad‖ {np.linalg.norm(W.grad):.3g}" in shown
    assert re.search(r"Gradient norms from \S+ to \S+\.", graph.alt())


def test_a_picture_does_not_change_the_gradients():
    W, _, loss = mlp()
    loss.backward()
    V, _, same = mlp()
    same.graph()._repr_html_()
    same.backward()
    assert np.array_equal(W.grad, V.grad)


def test_a_tensor_used_twice_has_two_edges():
    x = Tensor(np.ones(3), requires_grad=True)
    svg = (x + x).graph()._repr_svg_()
    assert svg.count("<path") == 2 and svg.count("parameter") >= 1


def test_large_graphs_are_folded():
    x = h = Tensor(np.ones(3), requires_grad=True)
    for _ in range(100_000):
        h = h + x
    graph = h.graph(names={"x": x})
    assert len(graph._repr_svg_()) < 100_000
    assert any("more ops" in t for t in texts(graph)) and "100,000 ops (100,000 add) in a depth of 100,000" in graph.alt()


def test_what_has_no_graph_is_refused():
    x = Tensor(np.ones(3), requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    with no_grad():
        unrecorded = x * x
    for t in (x, loss, unrecorded):
        with pytest.raises(RuntimeError, match="picture = loss.graph"):
            t.graph()


def test_the_alternative_text_goes_with_the_picture():
    loss = mlp()[2]
    graph = Graph(loss)
    html = graph._repr_html_()
    assert html.startswith('<img alt="Graph of a tensor of shape (): 4 ops')
    assert base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode() == graph._repr_svg_()
    assert "linear" in repr(graph) and "W = " in repr(graph)
