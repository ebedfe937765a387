// Package render tells people and machines about plans and runs: boxes, tables, graphs, progress lines, JSON.
// Every screen is a pure function from plain data to a string, so that a golden file is its whole test, and all
// foreign text passes one gate, Clean, before it may stand in a row.
// It does not know the clock, the environment or the file system, and cannot change what it shows.
package render
