package store

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// migration brings a phase file of an older form into the present one. There has been one schema so
// far, so no number distinguishes the forms: old recognises the step's own by its content. A step
// for another schema would belong here too, and recognise it by its number.
type migration struct {
	name string // the difference, for people
	old  func(data []byte) bool
	text func(data []byte) []byte // may be nil
	file func(f *phaseFile)       // may be nil
}

// migrations are the steps, oldest first.
func migrations() []migration {
	return []migration{
		{
			name: "claims count their tasks by other names",
			old:  func(data []byte) bool { return bytes.Contains(data, []byte(`"Total":`)) },
			text: func(data []byte) []byte {
				return rename(data, "claim.tasks",
					map[string]string{"Total": "total", "Done": "completed"})
			},
		},
		{
			name: "nothing is remembered of how the phase failed",
			old: func(data []byte) bool {
				return bytes.Contains(data, []byte(`"`+attemptKey)) &&
					!bytes.Contains(data, []byte(`"classification":`)) &&
					!bytes.Contains(data, []byte(`"history":`))
			},
			file: remembered,
		},
	}
}

// older is the note of a file of an older form.
const older = "is of an older form; it is read as it was meant, and kept in " + filesDir +
	" when it is written anew"

// remembered gives a phase that has not completed since the history of its failed attempts.
func remembered(f *phaseFile) {
	if f.Status == state.Complete || f.Error == nil || len(f.History) > 0 {
		return
	}
	p := f.phase()
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if a.Failure == nil {
			continue
		}
		var action failure.Action
		if a.Decision != nil {
			action = a.Decision.Action
		}
		f.History = append(f.History, a.Failure.Earlier(a.Changes.Paths(), action))
	}
	f.History = f.History[max(0, len(f.History)-state.MaxPast):]
}

// rename gives members of the objects at the end of a trail other names. Text that is not JSON
// stays as it is.
func rename(data []byte, under string, names map[string]string) []byte {
	var out bytes.Buffer
	done := 0
	w := &walker{data: data}
	var value func(way string, depth int) error
	value = func(way string, depth int) error {
		w.space()
		switch {
		case depth > maxDepth:
			return errSyntax
		case w.peek() == '{':
			return w.object(func(key string, at int) error {
				plain := bytes.HasPrefix(data[at:], []byte(`"`+key+`"`))
				if now, ok := names[key]; ok && plain &&
					(way == under || strings.HasSuffix(way, "."+under)) {
					out.Write(data[done:at])
					out.WriteString(`"` + now + `"`)
					done = at + len(key) + len(`""`)
				}
				return value(strings.TrimPrefix(way+"."+key, "."), depth+1)
			})
		case w.peek() == '[':
			return w.sequence('[', ']', func() error { return value(way, depth+1) })
		}
		return w.skip(depth)
	}
	if value("", 0) != nil {
		return data
	}
	out.Write(data[done:])
	return out.Bytes()
}

// lift is a phase file in the present form, and the migration steps that remain once it is decoded.
func lift(data []byte) (text []byte, steps []migration) {
	for _, m := range migrations() {
		if !m.old(data) {
			continue
		}
		steps = append(steps, m)
		if m.text != nil {
			data = m.text(data)
		}
	}
	return data, steps
}

// keepOlder copies the file of a phase that was read from an older form before it is replaced for
// the first time.
func (d *Dir) keepOlder(id string) error {
	if !d.older[id] {
		return nil
	}
	to, err := d.free(filesDir + "/" + phaseName(id))
	if err == nil {
		err = d.mkdir(filesDir)
	}
	if err != nil {
		return err
	}
	data, err := readFile(d.root, PhasePath(id))
	if err != nil {
		return explain("keeping", d.at(PhasePath(id)), err)
	}
	delete(d.older, id)
	return d.write(to, data, fileMode)
}

// writePhase replaces the file of a phase. Where the diary has all that the file says, only the
// name of a new file is synced.
func (d *Dir) writePhase(id string, data []byte, told bool) error {
	if err := d.keepOlder(id); err != nil {
		return err
	}
	write := d.files.write
	if told {
		write = d.files.replace
	}
	do := func() error { return saving(write(d.root, PhasePath(id), data, fileMode)) }
	err := do()
	if errors.Is(err, fs.ErrNotExist) { // an agent has removed the directory
		if err = d.mkdir(PhasesDir); err == nil {
			err = do()
		}
	}
	if err == nil && told && !d.named[id] {
		if err = syncDir(d.at(PhasesDir)); err == nil {
			d.named[id] = true
		}
	}
	return err
}
