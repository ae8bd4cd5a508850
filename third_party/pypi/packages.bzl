"""Which wheels of the Python package index make which repository. Edited by hand; `tools/lock
refresh` pins them.

Plain literals only: tools/lock reads this file too."""

# The interpreter and platforms that wheels are chosen for (third_party/debian: `@python`).
PYTHON_VERSION = "3.11"
PLATFORMS = [
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux_2_24_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
]

# Repository name -> requirements, unpacked over each other. Dependencies are not resolved: what a
# wheel needs is listed, too.
WHEEL_SETS = {
    # The build tool of many vendors: tests build plugins with it from the SDK's archive
    # (tests/outside).
    "cmake": [
        "cmake==3.25.2",
        "ninja==1.13.0",
    ],
    # NVIDIA's compiler as a library, and the headers that device code and the driver's users need.
    # PTX of a newer minor version would need newer drivers.
    "cuda": [
        "nvidia-cuda-crt==13.0.88",
        "nvidia-cuda-nvrtc==13.0.88",
        "nvidia-cuda-runtime==13.0.96",
    ],
    # The same compiler as a program, for one test: without headers, which are those of "cuda".
    "cuda_nvcc": [
        "nvidia-cuda-cccl==13.0.85",
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-nvvm==13.0.88",
    ],
    # Shows the instructions of compiled code, for tests.
    "cuda_tools": ["nvidia-cuda-nvdisasm==13.2.51"],
    "pypi_ml_dtypes": ["ml_dtypes==0.5.4"],
    # Checks the stubs of the Python package.
    "pypi_mypy": [
        "ast_serialize==0.13.1",
        "librt==0.16.0",
        "mypy==2.4.1",
        "mypy_extensions==1.2.0",
        "pathspec==1.1.1",
        "typing_extensions==4.16.0",
    ],
    # References of bench/python: another binding, and another runtime with packed functions.
    "pypi_nanobind": ["nanobind==3.1.0"],
    "pypi_numpy": ["numpy==2.4.6"],
    "pypi_pytest": [
        "iniconfig==2.3.1",
        "packaging==26.3",
        "pluggy==1.7.0",
        "pygments==2.21.0",
        "pytest==9.2.0",
    ],
    # What spreads the builders of a fleet, for tests, with what it needs itself.
    "pypi_ray": [
        "attrs==26.1.0",
        "certifi==2026.10.19.post1",
        "charset_normalizer==3.5.3",
        "click==8.5.1",
        "filelock==4.3.1",
        "idna==3.20",
        "jsonschema==4.26.0",
        "jsonschema_specifications==2025.9.1",
        "msgpack==1.2.4",
        "packaging==26.3",
        "protobuf==7.36.2",
        "pyyaml==6.0.4",
        "ray==2.60.0",
        "referencing==0.37.0",
        "requests==2.34.2",
        "rpds_py==2026.9.1",
        "typing_extensions==4.16.0",
        "urllib3==2.8.0",
    ],
    # Makes the site of the documentation (tools/site), with what it needs itself.
    "pypi_sphinx": [
        "alabaster==1.0.0",
        "babel==2.19.0",
        "certifi==2026.10.19.post1",
        "charset_normalizer==3.5.3",
        "docutils==0.22.4",
        "idna==3.20",
        "imagesize==2.0.1",
        "jinja2==3.1.6",
        "markdown-it-py==4.3.0",
        "markupsafe==3.0.4",
        "mdit-py-plugins==0.7.0",
        "mdurl==0.1.2",
        "myst-parser==5.2.0",
        "packaging==26.3",
        "pygments==2.21.0",
        "pyyaml==6.0.4",
        "requests==2.34.2",
        "roman-numerals==4.1.0",
        "snowballstemmer==3.1.1",
        "sphinx==9.0.4",
        "sphinxcontrib-applehelp==2.0.0",
        "sphinxcontrib-devhelp==2.0.0",
        "sphinxcontrib-htmlhelp==2.1.0",
        "sphinxcontrib-jsmath==2.0.0",
        "sphinxcontrib-qthelp==2.0.0",
        "sphinxcontrib-serializinghtml==2.0.0",
        "urllib3==2.8.0",
    ],
    "pypi_tvm_ffi": [
        "apache-tvm-ffi==0.1.15.post2",
        "typing_extensions==4.16.0",
    ],
    # The model of a tuner, for tests; SciPy is what it needs itself.
    "pypi_xgboost": [
        "scipy==1.17.1",
        "xgboost-cpu==3.2.0",
    ],
}
