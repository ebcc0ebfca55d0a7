"""The same training steps in hand-written NumPy, minitorch, PyTorch and HIPS autograd; one module an implementation.

Each module has `build(workload, dtype, batch)`, which returns step(): one training step, returning the loss.

    a  sigmoid MLP 784-16-16-10, mean over the batch of the sum of squared errors, SGD
    b  ReLU MLP 784-256-128-10, softmax cross-entropy, SGD
    c  GPT: 2 layers, width 64, 4 heads, 64 tokens, batch 8, vocabulary 65, SGD
    d  h = h·y + h, 500 times, arrays of 4 numbers: 1000 small ops
"""
