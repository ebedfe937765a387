//go:build race

package proc_test

// floodSize is small under the race detector, which slows the masks and escapes down tenfold.
const floodSize = 50_000_000
