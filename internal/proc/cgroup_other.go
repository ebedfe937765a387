//go:build unix && !linux

package proc

// cgroup is nothing here: there are no control groups.
type cgroup struct{}

func enterCgroup() *cgroup { return nil }

func cgroupOf(int, uint64) *cgroup { return nil }

func (*cgroup) leave() {}

func (*cgroup) kill() {}

func (*cgroup) remove() {}
