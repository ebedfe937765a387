package verify

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// Rooms that are open at the same time have nothing in common, and leave nothing behind.
func TestRooms(t *testing.T) {
	r := &Rooms{Owner: "20261121-140000-ab12", Dir: t.TempDir()}
	dirs, ports := map[string]bool{}, map[int]bool{}
	var rooms []Room
	for range 50 {
		room, err := r.Take()
		if err != nil {
			t.Fatal(err)
		}
		rooms = append(rooms, room)
		base, err := strconv.Atoi(room.Vars["AUTOBUILD_PORT_BASE"])
		if err != nil || base < firstPort || base+PortsEach > 32768 {
			t.Fatalf("ports from %q on", room.Vars["AUTOBUILD_PORT_BASE"])
		}
		for p := base; p < base+PortsEach; p++ {
			if ports[p] {
				t.Fatalf("port %d was given out twice", p)
			}
			ports[p] = true
		}
		dir := room.Vars["TMPDIR"]
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || dirs[dir] || room.Vars["TMP"] != dir || room.Vars["TEST_TMPDIR"] != dir {
			t.Fatalf("room %v: %v", room.Vars, err)
		}
		dirs[dir] = true
	}
	freed := rooms[0].Vars["AUTOBUILD_PORT_BASE"]
	sealed := filepath.Join(rooms[0].Vars["TMPDIR"], "mod", "cache")
	if err := os.MkdirAll(sealed, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sealed, "f"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(sealed, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	for _, room := range rooms {
		room.Leave()
		room.Leave() // once is enough, twice does no harm
	}
	if left, err := os.ReadDir(r.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	again, err := r.Take()
	if err != nil || again.Vars["AUTOBUILD_PORT_BASE"] != freed {
		t.Errorf("ports that were given back are %s, now %s (%v)", freed, again.Vars["AUTOBUILD_PORT_BASE"], err)
	}
}

// Sweep removes the directories of this run's killed predecessor, and none of another run.
func TestRoomsSweep(t *testing.T) {
	dir := t.TempDir()
	mine, other := &Rooms{Owner: "r1", Dir: dir}, &Rooms{Owner: "r10", Dir: dir}
	for _, r := range []*Rooms{mine, other} {
		if _, err := r.Take(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := mine.Scratch(); err != nil {
		t.Fatal(err)
	}
	(&Rooms{Owner: "r1", Dir: dir}).Sweep()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Fatalf("left: %v (%v)", left, err)
	}
	if got, err := (&Rooms{Owner: "r1", Dir: filepath.Join(dir, "none")}).Take(); err == nil {
		t.Errorf("a room in no directory: %v", got.Vars)
	}
}
