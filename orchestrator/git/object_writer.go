package git

import (
	"bufio"
	"context"
	"crypto/sha1" //nolint:gosec // git's name for content
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"autobuild/internal/safefile"
)

// objectWriter writes objects of a scratch directory by git hash-object, one process for each kind.
// It may be used from any number of goroutines.
type objectWriter struct {
	program program
	command command                                                   // without arguments
	guard   func(do func() ([]byte, int, error)) ([]byte, int, error) // around each exchange

	mu    sync.Mutex
	kinds map[string]*coprocess
}

// handOver is the file of the scratch directory in which git hash-object finds content.
const handOver = "object"

// write writes an object and gives its id, which is compared with the content's own: another
// process may write into the scratch directory.
func (w *objectWriter) write(ctx context.Context, kind string, data []byte) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.kinds[kind]
	if c == nil {
		c = &coprocess{program: w.program, command: w.command}
		c.command.args = []string{"hash-object", "-w", "-t", kind, "--no-filters", "--stdin-paths"}
		if w.kinds == nil {
			w.kinds = map[string]*coprocess{}
		}
		w.kinds[kind] = c
	}
	id := ""
	_, _, err := w.guard(func() ([]byte, int, error) {
		if err := safefile.Write(filepath.Join(w.command.dir, handOver), data, 0o600); err != nil {
			return nil, 0, Unusable("git's directory cannot be written", err)
		}
		return nil, 0, c.ask(ctx, func(to io.Writer, answers *bufio.Reader) error {
			if _, err := io.WriteString(to, handOver+"\n"); err != nil {
				return err //nolint:wrapcheck // the caller says how git ended
			}
			line, err := answers.ReadString('\n')
			id = strings.TrimSuffix(line, "\n")
			return err //nolint:wrapcheck // as above
		})
	})
	if err == nil && id != objectID(kind, data, len(id)) {
		err = fmt.Errorf("%w: the %s that was to be written is another one on the disk", errAnswer,
			kind)
	}
	return id, err
}

// objectID is the name of an object, of as many hexadecimal digits as the repository's names have.
func objectID(kind string, data []byte, digits int) string {
	sum := sha256.New()
	if digits == 2*sha1.Size {
		sum = sha1.New() //nolint:gosec // as above
	}
	_, _ = fmt.Fprintf(sum, "%s %d\x00", kind, len(data)) // a hash has no errors
	_, _ = sum.Write(data)
	return fmt.Sprintf("%x", sum.Sum(nil))
}
