# function: Letters.transform
# share: 61
# words: import.*sklearn|sklearn.*import
"""A search for the best parameters, in two threads. The transformer is slow, and so are imports."""

import joblib
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline


class Letters(TransformerMixin, BaseEstimator):
    def fit(self, texts, y=None):
        return self

    def transform(self, texts):
        return np.array([[text.count(pair) % 3 for pair in PAIRS] for text in texts])[:, ::40]


LETTERS = "abcdefghijklmnopqrstuvwxyz"
PAIRS = [first + second for first in LETTERS for second in LETTERS]
texts = [f"{LETTERS[n % 26 :]} {LETTERS[: n * 7 % 26]} {n}" * 4 for n in range(1_200)]
lengths = np.array([len(text) for text in texts])
pipeline = Pipeline([("letters", Letters()), ("ridge", Ridge())])
search = GridSearchCV(pipeline, {"ridge__alpha": [0.1, 1.0, 10.0]}, cv=4, n_jobs=2)
with joblib.parallel_backend("threading"):
    search.fit(texts, lengths)
print(search.best_params_)
