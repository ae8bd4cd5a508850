"""Whole networks of Keras with random weights, frozen and compared with TensorFlow.

Run by `tools/try_tensorflow`.
"""

from frozen import RANDOM, compare, freeze

import pytest
import tensorflow as tf

K, L = tf.keras, tf.keras.layers


def randomise_norms(model):
    """Fresh norms change nothing: their mean is 0 and their variance 1."""
    for layer in model.layers:
        if isinstance(layer, L.BatchNormalization):
            layer.set_weights([RANDOM.uniform(0.5, 1.5, w.shape) for w in layer.get_weights()])


@pytest.mark.parametrize("alpha", [0.35, 1.0])
def test_mobilenet_v2(alpha):
    K.utils.set_random_seed(1)
    model = K.applications.MobileNetV2(input_shape=(96, 96, 3), alpha=alpha, weights=None,
                                       classes=10, classifier_activation=None)
    randomise_norms(model)
    frozen = freeze(lambda x: model(x, training=False), [tf.TensorSpec([1, 96, 96, 3])])
    compare(frozen, [RANDOM.uniform(-1, 1, (1, 96, 96, 3)).astype("float32")], 1e-3, 1e-4)


class Encoder(K.Model):
    """The embeddings, blocks and pooler of BERT [Devlin et al., 2018], small."""

    def __init__(self, words=500, length=24, width=64, heads=4, blocks=2):
        super().__init__()
        self.words = L.Embedding(words, width)
        self.places = L.Embedding(length, width)
        self.kinds = L.Embedding(2, width)
        self.norm = L.LayerNormalization(epsilon=1e-12)
        self.blocks = [(L.MultiHeadAttention(heads, width // heads), L.LayerNormalization(),
                        L.Dense(4 * width, activation="gelu"), L.Dense(width),
                        L.LayerNormalization()) for _ in range(blocks)]
        self.pooler = L.Dense(width, activation="tanh")

    def call(self, tokens, mask, kinds):
        x = self.words(tokens) + self.places(tf.range(tf.shape(tokens)[1])) + self.kinds(kinds)
        x = self.norm(x)
        visible = tf.cast(mask, tf.bool)[:, tf.newaxis, :]
        for attention, norm, wide, narrow, last in self.blocks:
            x = norm(x + attention(x, x, attention_mask=visible))
            x = last(x + narrow(wide(x)))
        return x, self.pooler(x[:, 0])


def test_encoder():
    K.utils.set_random_seed(1)
    model = Encoder()
    frozen = freeze(lambda *inputs: model(*inputs), [tf.TensorSpec([2, 24], tf.int32)] * 3)
    mask = RANDOM.integers(0, 2, (2, 24))
    mask[:, :4] = 1
    inputs = [RANDOM.integers(0, 500, (2, 24)), mask, RANDOM.integers(0, 2, (2, 24))]
    compare(frozen, [x.astype("int32") for x in inputs])
