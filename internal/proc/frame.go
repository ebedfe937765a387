//go:build unix

package proc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The protocol between this process and a supervisor. Towards the supervisor goes one frame for
// each child, with its open files attached to the first byte, and single bytes for signals; back
// come reports.
const (
	frameRun   = 'R'
	frameHead  = 5 // 'R' and the body's length
	frameLimit = 64 << 20
	reportSize = 17
	maxFiles   = 4

	reportTaken   = 't' // from here on the child may exist, even if the supervisor dies
	reportStarted = 's' // value: the child's pid
	reportFailed  = 'f' // value: the errno of fork or exec
	reportEnded   = 'e' // value: wait status, CPU time, processes left
)

// encode makes the frame of a launch: strings that end in NUL, which none of them can contain.
func (l *launch) encode() ([]byte, error) {
	var b strings.Builder
	b.Write(make([]byte, frameHead))
	for _, s := range []string{l.path, l.dir, strconv.Itoa(len(l.argv))} {
		b.WriteString(s)
		b.WriteByte(0)
	}
	for _, list := range [][]string{l.argv, l.env} {
		for _, s := range list {
			b.WriteString(s)
			b.WriteByte(0)
		}
	}
	frame := []byte(b.String())
	if len(frame) > frameLimit {
		return nil, fmt.Errorf("arguments and environment of %d bytes: %w", len(frame), unix.E2BIG)
	}
	frame[0] = frameRun
	binary.LittleEndian.PutUint32(frame[1:], uint32(len(frame)-frameHead))
	return frame, nil
}

// decode is encode's inverse.
func decode(body []byte) (launch, error) {
	parts := strings.Split(string(body), "\x00")
	if len(parts) < 4 {
		return launch{}, errors.New("short frame")
	}
	argc, err := strconv.Atoi(parts[2])
	if err != nil || argc < 1 || argc > len(parts)-4 {
		return launch{}, errors.New("broken frame")
	}
	return launch{
		path: parts[0], dir: parts[1], argv: parts[3 : 3+argc],
		env: parts[3+argc : len(parts)-1],
	}, nil
}

// report is a message of a supervisor.
type report struct {
	kind  byte
	value uint32
	cpu   time.Duration
	left  uint32
}

func (r report) encode() []byte {
	b := make([]byte, reportSize)
	b[0] = r.kind
	binary.LittleEndian.PutUint32(b[1:], r.value)
	binary.LittleEndian.PutUint64(b[5:], uint64(r.cpu))
	binary.LittleEndian.PutUint32(b[13:], r.left)
	return b
}

func decodeReport(b []byte) report {
	return report{
		kind:  b[0],
		value: binary.LittleEndian.Uint32(b[1:]),
		cpu:   time.Duration(binary.LittleEndian.Uint64(b[5:])),
		left:  binary.LittleEndian.Uint32(b[13:]),
	}
}

// inbox is the supervisor's end of the socket: it turns the stream into launches and signals.
type inbox struct {
	fd       int
	launches chan launch
	signals  chan request

	buf   []byte
	files []*os.File
}

// read fills the inbox until the other side is gone, and then closes launches: the lifeline.
func (in *inbox) read() {
	defer close(in.launches)
	chunk := make([]byte, 16<<10)
	oob := make([]byte, unix.CmsgSpace(4*maxFiles))
	for {
		n, oobn, err := receive(in.fd, chunk, oob)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		in.files = append(in.files, openReceived(oob[:oobn])...)
		in.buf = append(in.buf, chunk[:n]...)
		if in.parse() != nil {
			return
		}
	}
}

func (in *inbox) parse() error {
	for len(in.buf) > 0 {
		if in.buf[0] != frameRun {
			in.signals <- request(in.buf[0])
			in.buf = in.buf[1:]
			continue
		}
		if len(in.buf) < frameHead {
			return nil
		}
		n := int(binary.LittleEndian.Uint32(in.buf[1:]))
		if n > frameLimit {
			return errors.New("frame too long")
		}
		if len(in.buf) < frameHead+n {
			return nil
		}
		l, err := decode(in.buf[frameHead : frameHead+n])
		if err != nil || len(in.files) < 3 {
			return errors.New("frame without its files")
		}
		copy(l.files[:], in.files)
		if len(in.files) > 3 {
			l.hold = in.files[3]
		}
		in.files = nil
		in.buf = in.buf[frameHead+n:]
		in.launches <- l
	}
	in.buf = nil
	return nil
}

func openReceived(oob []byte) []*os.File {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var files []*os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "child"))
		}
	}
	return files
}
