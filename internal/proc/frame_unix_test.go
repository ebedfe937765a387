//go:build unix

package proc

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The law: every launch that can be started survives encoding and decoding.
func FuzzFrame(f *testing.F) {
	f.Add("/bin/sh", "/tmp", "sh\n-c\ntrue", "A=1\nB=")
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, path, dir, argv, env string) {
		if strings.ContainsRune(path+dir+argv+env, 0) {
			return
		}
		l := launch{path: path, dir: dir, argv: strings.Split(argv, "\n"), env: strings.Split(env, "\n")}
		frame, err := l.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(frame[frameHead:])
		if err != nil || !reflect.DeepEqual(back, l) {
			t.Fatalf("%+v came back as %+v, %v", l, back, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("p\x00d\x001\x00a\x00"))
	f.Add([]byte("p\x00d\x00-1\x00a\x00"))
	f.Add([]byte("p\x00d\x009223372036854775806\x00a\x00"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := decode(b); err == nil && len(l.argv) == 0 {
			t.Fatalf("%q gave an empty command", b)
		}
	})
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := report{kind: reportEnded, value: 9, cpu: 1 << 40, left: 3}
	if got := decodeReport(r.encode()); got != r {
		t.Errorf("%+v came back as %+v", r, got)
	}
}

func TestDescendants(t *testing.T) {
	t.Parallel()
	all := []process{
		{pid: 9, ppid: 8, sid: 9},
		{pid: 8, ppid: 5, sid: 8},
		{pid: 5, ppid: 1, sid: 1},
		{pid: 6, ppid: 1, sid: 1},
		{pid: 7, ppid: 1, sid: 8},
		{pid: 10, ppid: 7, sid: 10},
	}
	var got []int
	for _, p := range descendants(all, 5, 8) {
		got = append(got, p.pid)
	}
	slices.Sort(got)
	if !slices.Equal(got, []int{7, 8, 9, 10}) {
		t.Errorf("%v: want the tree below 5, the session 8 and what that started", got)
	}
}
