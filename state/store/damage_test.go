package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"autobuild/state"
)

// documents are the files that are read whole, besides those of phases, and the values that they
// are read into.
func documents() map[string]func() any {
	return map[string]func() any{
		"config.json": func() any { return new(state.Config) },
		"result.json": func() any { return new(resultFile) },
	}
}

func goldenBytes(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEveryByte cuts every other file at every byte: only without its last newline is it whole. A
// diary that is cut off yields its whole lines, and nothing else.
func TestEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for name, into := range documents() {
		data := goldenBytes(t, name)
		for n := range len(data) - 1 {
			err := decode(data[:n], into())
			if _, ok := errors.AsType[*complaint](err); !ok {
				t.Fatalf("%s cut at byte %d of %d: %v", name, n, len(data), err)
			}
		}
		if err := decode(data[:len(data)-1], into()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := stateDir(t)
	d := openDir(t, dir)
	story(t, d)
	closeDir(t, d)
	path := filepath.Join(dir, DiaryName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := len(whole); n >= 0; n -= 7 {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		events := 0
		for _, err := range ReadDiary(dir) {
			if err != nil {
				t.Fatalf("cut at byte %d: %v", n, err)
			}
			events++
		}
		if want := bytes.Count(whole[:n], []byte("\n")); events != want {
			t.Fatalf("cut at byte %d: %d events, want %d", n, events, want)
		}
	}
}

// TestWrongTypesElsewhere puts a wrong value into every field of the other files.
func TestWrongTypesElsewhere(t *testing.T) {
	for name, into := range documents() {
		var doc map[string]any
		if err := json.Unmarshal(goldenBytes(t, name), &doc); err != nil {
			t.Fatal(err)
		}
		tried := 0
		for key, right := range doc {
			for _, wrong := range []any{true, -1.5, "x", []any{1.5}, map[string]any{"x": 1}} {
				if reflect.TypeOf(wrong) == reflect.TypeOf(right) {
					continue
				}
				doc[key] = wrong
				data, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if err := decode(data, into()); err == nil {
					t.Errorf("%s: %s %v was accepted", name, key, wrong)
				}
			}
			doc[key] = right
		}
		doc["another"] = 1
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := decode(data, into()); err == nil || tried < 20 {
			t.Errorf("%s: an unknown key was accepted, after %d wrong values", name, tried)
		}
	}
}

// TestNewer: in every place, a file of a newer autobuild is distinguished from a damaged one.
func TestNewer(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	story(t, d)
	for i, name := range []string{"config.json", "result.json", "phases/phase-1.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, `{"schema": %d}`, 2+i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := d.Load(seeds())
	bad, ok := errors.AsType[*CorruptError](err)
	if !ok || len(bad.Files) != 3 {
		t.Fatalf("loaded: %v", err)
	}
	for _, b := range bad.Files {
		if !errors.Is(b.Cause, ErrNewer) {
			t.Errorf("%v is not called newer", b)
		}
	}
}
