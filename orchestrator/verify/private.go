package verify

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// The ports that rooms give out lie below those that systems take for outgoing connections.
const (
	firstPort = 20000
	portSlots = 600
	PortsEach = 20 // ports of one room, from PortBase on
	maxOwner  = 40
)

// PortBase is the variable that names the first port of a room.
const PortBase = "AUTOBUILD_PORT_BASE"

// Rooms gives every attempt its own resources that concurrent test suites must not share: a
// temporary directory and a range of ports. Caches of compilers and package managers are safe to
// share and expensive to fill, and stay where they are.
type Rooms struct {
	// names the temporary directories: the same for every run in a repository, so that what a
	// killed one left is found
	Owner string
	Dir   string // where they are made; empty: the system's place

	mu    sync.Mutex
	taken map[int]bool
}

// Room is what one attempt has to itself.
type Room struct {
	Vars  map[string]string // TMPDIR and its like, PortBase
	Leave func()            // removes the directory and gives the ports back
}

// Take opens a room. Runs in different repositories begin with different ports.
func (r *Rooms) Take() (Room, error) {
	dir, err := os.MkdirTemp(r.Dir, r.prefix())
	if err != nil {
		return Room{}, fmt.Errorf(
			"making a temporary directory: %w; free some space there, or set TMPDIR", err)
	}
	slot := r.slot()
	vars := map[string]string{PortBase: strconv.Itoa(firstPort + PortsEach*slot)}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP", "TEST_TMPDIR"} {
		vars[name] = dir
	}
	return Room{Vars: vars, Leave: sync.OnceFunc(func() {
		_ = removeTree(dir) // the system cleans up a tree that cannot be removed
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.taken, slot)
	})}, nil
}

// Scratch makes a private directory beside the rooms, outside every worktree, and says how to
// remove it. One that a killed run leaves is found by Sweep.
func (r *Rooms) Scratch() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp(r.Dir, r.prefix())
	if err != nil {
		return "", nil, fmt.Errorf(
			"making a temporary directory: %w; free some space there, or set TMPDIR", err)
	}
	return dir, func() { _ = removeTree(dir) }, nil // … as in Leave
}

// slot is a range of ports that no other room of this owner has.
func (r *Rooms) slot() int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.Owner)) // never fails
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken == nil {
		r.taken = make(map[int]bool)
	}
	slot := int(h.Sum32() % portSlots)
	for range portSlots {
		if !r.taken[slot] {
			break
		}
		slot = (slot + 1) % portSlots
	}
	r.taken[slot] = true
	return slot
}

// Prefix is how the paths of all rooms of this owner begin.
func (r *Rooms) Prefix() string { return filepath.Join(cmp.Or(r.Dir, os.TempDir()), r.prefix()) }

// Sweep removes the directories that runs of this owner have left when they were killed. None of
// them may be at work any more.
func (r *Rooms) Sweep() {
	dir := r.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, d := range left {
		if d.IsDir() && (strings.HasPrefix(d.Name(), r.prefix()) ||
			strings.HasPrefix(d.Name(), "autobuild-"+r.owner()+"-")) {
			_ = removeTree(filepath.Join(dir, d.Name())) // … as in Leave
		}
	}
}

// prefix is the start of a room's directory name. It does not contain "autobuild", so that product
// code cannot detect the referee by TMPDIR. Earlier versions used autobuild-OWNER-.
func (r *Rooms) prefix() string { return "build-" + r.owner() + "-" }

func (r *Rooms) owner() string {
	name := fileName(r.Owner)
	return name[:min(len(name), maxOwner)]
}

// removeTree removes a directory, also where tools have left what may not be written to, as Go's
// module cache does.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700) //nolint:gosec // a directory cannot be emptied without x
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
