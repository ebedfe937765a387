#!/bin/sh
# Python: pytest, unittest, mypy, pylint, and programs that end in a traceback. Ruff and black are not recorded: they
# were not to be had where this was made.
. "$(dirname "$0")/lib.sh"
PY=${PY:-/usr/bin/python3}
export PYTHONDONTWRITEBYTECODE=1 COLUMNS=100
V="Python $($PY -c 'import platform; print(platform.python_version())')"
PT="pytest $($PY -c 'import pytest; print(pytest.__version__)')"
with() { # NAME KIND HOW TOOL COMMAND: as seen, with the command that is shown before the one that is run
	kind=$2
	[ "$kind" != - ] || kind=
	"$SCRATCH/bin/record" -name "$1" -kind "$kind" -how "$3" -tool "$4" "$5" || echo "$1: not recorded" >&2
}

project pytest-assert
put shop/cart.py <<-X
	def total(prices):
	    return -sum(prices)
X
put shop/__init__.py <<-X
X
put tests/test_cart.py <<-X
	from shop.cart import total


	def test_total():
	    assert total([100, 250]) == 350


	class TestEmpty:
	    def test_none(self):
	        assert total([]) == 0

	    def test_negative(self):
	        assert total([-1]) == -1
X
with pytest-assert test "pytest with two wrong sums of three ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
with pytest-quiet test "pytest -q of the same ($PT)" "pytest -q" "$PY -m pytest -q --tb=short -p no:cacheprovider"
with pytest-guessed - "pytest with the kind left open ($PT)" "python -m pytest -q" "$PY -m pytest -q --tb=line -p no:cacheprovider"
put tests/test_cart.py <<-X
	import requests_toolkit


	def test_total():
	    assert requests_toolkit
X
with pytest-module-missing test "pytest of a package that is not installed ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
put tests/test_cart.py <<-X
	from shop.cart import discount


	def test_discount():
	    assert discount(1)
X
with pytest-importerror test "pytest of a name that the module does not have ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
put tests/test_cart.py <<-X
	def test_settings():
	    with open("config/settings.toml") as f:
	        assert f.read()
X
with pytest-missing-file test "a test that reads a file which does not exist ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
put tests/test_cart.py <<-X
	import os


	def test_store():
	    assert os.environ["DATABASE_URL"]
X
with pytest-env test "a test that wants DATABASE_URL ($PT)" "pytest" "env -i PATH=/usr/bin LC_ALL=C.UTF-8 COLUMNS=100 $PY -m pytest -p no:cacheprovider"
put tests/test_cart.py <<-X
	import socket


	def test_store():
	    socket.create_connection(("127.0.0.1", 5432))
X
with pytest-refused test "a test whose database is not up ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
put tests/test_cart.py <<-X
	def test_total(:
	    assert True
X
with pytest-syntaxerror test "pytest of a test that does not parse ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
put tests/test_cart.py <<-X
	def test_total(database):
	    assert database
X
with pytest-fixture test "a test that wants a fixture which does not exist ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"
rm tests/test_cart.py
with pytest-no-tests test "pytest that finds no tests ($PT)" "pytest" "$PY -m pytest -p no:cacheprovider"

project unittest-assert
put test_cart.py <<-X
	import unittest


	class CartTest(unittest.TestCase):
	    def test_total(self):
	        self.assertEqual(1 + 1, 3)

	    def test_lookup(self):
	        {}["price"]

	    def test_empty(self):
	        self.assertEqual(0, 0)
X
with unittest-assert test "unittest with a wrong sum and an error ($V)" "python -m unittest" "$PY -m unittest"
put test_cart.py <<-X
	import unittest

	import yaml_plus


	class CartTest(unittest.TestCase):
	    def test_total(self):
	        self.assertTrue(yaml_plus)
X
with unittest-module-missing test "unittest of a package that is not installed ($V)" "python -m unittest" "$PY -m unittest"

M="mypy $(mypy --version | cut -d' ' -f2)"
project mypy
put shop/cart.py <<-X
	def total(prices: list[int]) -> int:
	    return ",".join(prices)


	total("1")
X
with mypy-types typecheck "mypy of wrong types ($M)" "mypy shop" "mypy --cache-dir=/dev/null shop"
put shop/cart.py <<-X
	import requests_toolkit

	requests_toolkit.get("x")
X
with mypy-module-missing typecheck "mypy of a package that is not installed ($M)" "mypy shop" "mypy --cache-dir=/dev/null shop"
P="pylint $(pylint --version | sed -n 's/^pylint //p')"
put shop/cart.py <<-X
	"""A cart."""
	import os


	def total(prices):
	    """Add up."""
	    return sum(price)
X
with pylint-findings lint "pylint of an unused import and an unknown name ($P)" "pylint shop/cart.py" "pylint --score=n shop/cart.py"

project python
put app.py <<-X
	print(open("data/prices.csv").read())
X
with python-missing-file custom "python of a program that reads a file which does not exist ($V)" "python3 app.py" "$PY app.py"
put app.py <<-X
	total = None
	print(total["sum"])
X
with python-typeerror custom "python of a program that indexes None ($V)" "python3 app.py" "$PY app.py"
put app.py <<-X
	def total(prices)
	    return 0
X
with python-syntaxerror custom "python of a missing colon ($V)" "python3 app.py" "$PY app.py"
put app.py <<-X
	import flask
	print(flask)
X
with python-module-missing custom "python of a program whose package is not installed ($V)" "python3 app.py" "$PY -S app.py"
put app.py <<-X
	import os
	if not os.environ.get("API_TOKEN"):
	    raise SystemExit("error: the environment variable API_TOKEN is not set")
X
API_TOKEN='' with python-env custom "python of a program that wants API_TOKEN ($V)" "python3 app.py" "$PY app.py"
put app.py <<-X
	import urllib.request
	urllib.request.urlopen("http://127.0.0.1:9/prices")
X
with python-refused custom "urllib of a service that is not up ($V)" "python3 app.py" "$PY app.py"
put app.py <<-X
	import urllib.request
	urllib.request.urlopen("http://prices.invalid/")
X
with python-dns custom "urllib of a host that no name server knows ($V)" "python3 app.py" "$PY app.py"
put app.py <<-X
	everything = []
	while True:
	    everything.append(bytearray(50_000_000))
X
with python-memory custom "python that allocates without end below ulimit -v 400000 ($V)" "python3 app.py" "ulimit -v 400000; $PY app.py"
put app.py <<-X
	files = [open("/dev/null") for _ in range(100)]
X
with python-open-files custom "python that opens 100 files below ulimit -n 20 ($V)" "python3 app.py" "ulimit -n 20; $PY app.py"
with python-m-missing test "python -m of a runner that is not installed ($V)" "python3 -m pytest" "$PY -S -m pytest"
