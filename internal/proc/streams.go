package proc

import (
	"fmt"
	"io"
	"os"
	"time"
)

// streams are the pipes between this process and a child.
type streams struct {
	child   []*os.File // the ends that the child gets
	stdin   *os.File
	out     *os.File
	spool   *spool // in place of out
	err     *os.File
	readers chan struct{}
	count   int
}

// openStreams makes the pipes. Without a parser both outputs share one, which keeps their order.
func openStreams(c *Command, l *launch) (st *streams, err error) {
	st = &streams{readers: make(chan struct{}, 2)}
	defer func() {
		if err != nil {
			st.closeChildEnds()
			st.close()
			err = &machineryError{err}
		}
	}()
	if c.Stdin == nil {
		if l.files[0], err = os.Open(os.DevNull); err != nil {
			return st, fmt.Errorf("open the null device: %w", err)
		}
	} else if l.files[0], st.stdin, err = os.Pipe(); err != nil {
		return st, fmt.Errorf("open a pipe for its input: %w", err)
	}
	st.child = append(st.child, l.files[0])
	if c.Spool != "" && c.Stdout != nil {
		if st.spool, l.files[1], err = openSpool(c.Spool); err != nil {
			return st, err
		}
	}
	if st.spool == nil {
		if st.out, l.files[1], err = os.Pipe(); err != nil {
			return st, fmt.Errorf("open a pipe for its output: %w", err)
		}
	}
	st.child = append(st.child, l.files[1])
	l.files[2] = l.files[1]
	if c.Stdout != nil {
		if st.err, l.files[2], err = os.Pipe(); err != nil {
			return st, fmt.Errorf("open a pipe for its errors: %w", err)
		}
		st.child = append(st.child, l.files[2])
	}
	return st, nil
}

func (st *streams) closeChildEnds() {
	for _, f := range st.child {
		closeQuietly(f)
	}
	st.child = nil
}

func (st *streams) close() {
	st.spool.close()
	closeQuietly(st.stdin)
	closeQuietly(st.out)
	closeQuietly(st.err)
}

// pump starts the copying. The readers never stop before the end of their pipe, so that a
// child can always write.
func (st *streams) pump(s *sink, c *Command) {
	if st.stdin != nil {
		in := st.stdin
		go func() {
			// A child may end, or close its input, before it has read everything: not our failure.
			_, _ = io.Copy(in, c.Stdin)
			closeQuietly(in)
		}()
	}
	if st.spool != nil {
		st.count++
		go func() {
			defer func() { st.readers <- struct{}{} }()
			st.spool.pump(func(b []byte) {
				c.Stdout(b)
				s.write(b)
			})
		}()
	}
	read := func(f *os.File, raw func([]byte)) {
		st.count++
		go func() {
			defer func() { st.readers <- struct{}{} }()
			buf := make([]byte, chunkSize)
			for {
				n, err := f.Read(buf)
				if n > 0 {
					if raw != nil {
						raw(buf[:n])
					}
					s.write(buf[:n])
				}
				if err != nil {
					return
				}
			}
		}()
	}
	if st.out != nil {
		read(st.out, c.Stdout)
	}
	if st.err != nil {
		read(st.err, nil)
	}
}

// drain waits until everything that was printed has been read. Where the whole tree is known to be
// gone, the end of the pipes is certain; else something may hold them for ever, and they are given
// up.
func (st *streams) drain(certain bool) {
	st.spool.end()
	if !certain {
		defer time.AfterFunc(drainPatience, st.close).Stop()
	}
	for range st.count {
		<-st.readers
	}
	st.close()
}

func closeQuietly(f *os.File) {
	if f != nil {
		_ = f.Close() // twice is harmless: the other copy went to the child
	}
}
