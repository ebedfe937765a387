// Package term draws plans and runs for a terminal, a pipe or a log: boxes, tables, progress lines
// and a live screen. Every screen is a pure function from plain data and a render.Style to a
// string, so that a golden file is its whole test. It does not know the clock, the environment or a
// file descriptor, and cannot change what it shows.
package term
