//go:build !race

package proc_test

const floodSize = 500_000_000
