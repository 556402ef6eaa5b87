"""The compiled kernel; everything else is in pyproject.toml."""

from setuptools import Extension, setup

# Without -ffp-contract=off a compiler may fuse a product and a sum, and round differently from numpy.
setup(
    ext_modules=[
        Extension(
            f"honeyguide.kernel.{name}",
            [f"src/honeyguide/kernel/{name}.pyx"],
            extra_compile_args=["-O3", "-g0", "-ffp-contract=off"],
            optional=True,  # without a compiler, the functions in numpy and Python do the same
        )
        for name in ("content", "keys", "places", "promises", "sums", "urls", "walk", "words")
    ]
)
