// Package e2e tests autobuild-temporal whole: the built program, Temporal's dev server, workers as
// processes, remotes as bare repositories. Separate homes and caches stand for machines. It has no
// code but tests.
package e2e
