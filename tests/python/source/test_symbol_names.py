"""Readable names of native symbols."""

import pytest

from tracer.source import symbol_names
from tracer.source.symbol_names import readable, short


@pytest.mark.parametrize(
    ("told", "name"),
    [
        (
            "int amerge_at_<npy::double_tag, double>(double*, run const*)",
            "amerge_at_<npy::double_tag, double>",
        ),
        ("unsigned long part<v<double>, 4>(double*) [clone .constprop.0]", "part<v<double>, 4>"),
        (
            "std::vector<int, std::allocator<int> >::push_back(int const&)",
            "std::vector<int, std::allocator<int> >::push_back",
        ),
        ("core::fmt::Write::write_fmt::h0123456789abcdef", "core::fmt::Write::write_fmt"),
        ("(anonymous namespace)::step(int)", "(anonymous namespace)::step"),
        ("void a::(anonymous namespace)::run<int>(int)", "a::(anonymous namespace)::run<int>"),
        (
            "bool operator< <int>(A<int> const&, A<int> const&)",
            "bool operator< <int>(A<int> const&, A<int> const&)",
        ),
        ("Functor::operator()(int) const", "Functor::operator()(int) const"),
        ("vtable for Shape", "vtable for Shape"),
        ("", ""),
    ],
)
def test_parameters_and_results_are_left_out(told, name):
    assert short(told) == name


def test_names_of_c_are_as_they_are():
    assert readable("dgemm_kernel_HASWELL") == "dgemm_kernel_HASWELL"
    assert readable("libz.so.1+0x5d80") == "libz.so.1+0x5d80"
    assert readable("_RNvC6mycrate3foo") == "_RNvC6mycrate3foo"


def test_names_of_cpp():
    if symbol_names._demangler()("_Z1fv") == "":
        pytest.skip("no libstdc++.so.6 here")
    assert readable("_ZN3npy10quicksort_IiEEvPT_") == "npy::quicksort_<int>"
    assert readable("_Z\udcff") == "_Z\udcff"


def test_without_the_library_symbols_are_names(monkeypatch):
    monkeypatch.setattr(symbol_names, "LIBRARY", "libnosuch.so.9")
    symbol_names._demangler.cache_clear()
    readable.cache_clear()
    assert readable("_ZN3npy10quicksort_IiEEvPT_") == "_ZN3npy10quicksort_IiEEvPT_"
    symbol_names._demangler.cache_clear()
    readable.cache_clear()
