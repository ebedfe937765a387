// Package render makes the values and the text about plans and runs that several outputs share. An
// Overview is a run sorted for a reader, Sayings explain one phase, and the words for every status,
// failure and next step are made here once, so that a terminal, a page and a CI system cannot
// differ. It does not know how its values are drawn, and knows neither the clock, the environment
// nor the file system.
package render
