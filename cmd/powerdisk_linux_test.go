package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// diskSize is small, so that a copy takes moments.
const diskSize = 48 << 20

// disk is an ext4 file system in a file. The file holds the data that the disk has received; data
// that the system has not written there yet is lost with the power.
type disk struct {
	t     *testing.T
	image string
	dir   string // where it is mounted

	mu     sync.Mutex // one copy at a time
	device string     // loop3, while it is mounted
	again  int        // copies that were made again because the system wrote meanwhile
}

// needDisks skips where no such disk can be made.
func needDisks(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not root, so no disk can be mounted")
	}
	for _, tool := range []string{"mkfs.ext4", "mount", "umount"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed, so no disk can be made", tool)
		}
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skipf("there are no loop devices: %v", err)
	}
}

// tool runs a program of the system's.
func (d *disk) tool(name string, args ...string) {
	d.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
}

// format makes the image, with nothing in it.
func (d *disk) format() {
	d.t.Helper()
	f, err := os.Create(d.image)
	if err != nil {
		d.t.Fatal(err)
	}
	if err = errors.Join(f.Truncate(diskSize), f.Close()); err != nil {
		d.t.Fatal(err)
	}
	// Blocks and inodes as on a disk of a usual size, and nothing that the system would go on
	// writing by itself.
	d.tool("mkfs.ext4", "-q", "-b", "4096", "-I", "256", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", d.image)
	d.mount()
	if err := os.Remove(filepath.Join(d.dir, "lost+found")); err != nil {
		d.t.Fatal(err)
	}
}

// mount brings the image up, by its journal where the power was cut.
func (d *disk) mount() {
	d.t.Helper()
	d.tool("mount", "-o", "loop", d.image, d.dir)
	var st unix.Stat_t
	if err := unix.Stat(d.dir, &st); err != nil {
		d.t.Fatal(err)
	}
	name, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		d.t.Fatal(err)
	}
	d.device = filepath.Base(name)
}

// unmount writes everything and takes the disk away. Nothing happens where it is not mounted.
func (d *disk) unmount() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.device != "" {
		d.device = ""
		d.tool("umount", d.dir)
	}
}

// writes are the counts of the device's writes so far, and whether it is at rest.
func (d *disk) writes() (so string, still bool) {
	data, err := os.ReadFile("/sys/block/" + d.device + "/stat")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 9 {
		d.t.Errorf("the counts of %s cannot be read: %v: %q", d.device, err, data)
		return "", true
	}
	return fields[4] + " " + fields[6], fields[8] == "0"
}

// restPatience bounds the wait for a disk that is not written to while it is copied.
const restPatience = time.Minute

// cut copies what the disk has received. A copy is of one instant: where the system wrote meanwhile
// it is made again. With committed, another program syncs a file just before, which makes names and
// sizes durable of files whose content is not.
func (d *disk) cut(to string, committed bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.device == "" {
		return false // it has been taken away
	}
	if committed {
		if err := d.strangersSync(); err != nil {
			d.t.Error(err)
			return false
		}
	}
	for begun := time.Now(); time.Since(begun) < restPatience; {
		before, still := d.writes()
		if !still {
			continue
		}
		if err := copySparse(d.image, to); err != nil {
			d.t.Error(err)
			return false
		}
		if after, still := d.writes(); still && after == before {
			return true
		}
		d.again++
	}
	d.t.Errorf("the disk has not rested for %v", restPatience)
	return false
}

// strangersSync is what an editor does when it saves, for a file without a name.
func (d *disk) strangersSync() error {
	fd, err := unix.Open(d.dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("somebody else's"))
	return errors.Join(err, unix.Fsync(fd), unix.Close(fd))
}

// copySparse copies a file without what is zero in it.
func copySparse(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	buffer, zero := make([]byte, 256<<10), make([]byte, 256<<10)
	at := int64(0)
	for {
		n, failed := io.ReadFull(in, buffer)
		if n > 0 && !bytes.Equal(buffer[:n], zero[:n]) {
			if _, err = out.WriteAt(buffer[:n], at); err != nil {
				return errors.Join(err, out.Close())
			}
		}
		at += int64(n)
		if errors.Is(failed, io.EOF) || errors.Is(failed, io.ErrUnexpectedEOF) {
			return errors.Join(out.Truncate(at), out.Close())
		}
		if failed != nil {
			return errors.Join(failed, out.Close())
		}
	}
}
