package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"autobuild/internal/proc"
)

// object is one object as git cat-file gives it. The zero object is one that is missing.
type object struct {
	id, kind string
	size     int64
	data     []byte // nil where only the head was asked for
}

// objectReader reads objects, by one git cat-file. It may be used from any number of goroutines.
type objectReader struct {
	git   coprocess
	guard func(do func() ([]byte, int, error)) ([]byte, int, error) // around each exchange
}

// read returns the objects of some names, in their order, with their content or without it. A name
// is an object name in git's sense, without a line break.
func (r *objectReader) read(ctx context.Context, names []string, content bool) ([]object, error) {
	verb := "info "
	if content {
		verb = "contents "
	}
	var request strings.Builder
	for _, name := range names {
		if strings.ContainsAny(name, "\n\x00") {
			return nil, fmt.Errorf("%w: %q is no name of an object", errAnswer, name)
		}
		request.WriteString(verb + name + "\n")
	}
	var found []object
	_, _, err := r.guard(func() ([]byte, int, error) {
		return nil, 0, r.git.ask(ctx, func(w io.Writer, answers *bufio.Reader) error {
			found = make([]object, len(names))
			sent := make(chan error, 1)
			go func() {
				_, err := io.WriteString(w, request.String())
				sent <- err
			}()
			room := int64(gitOutput)
			for i := range found {
				if err := readObject(answers, &found[i], content, &room); err != nil {
					return err
				}
			}
			return <-sent
		})
	})
	return found, err
}

// readObject reads one answer; room is how many bytes of content may follow.
func readObject(answers *bufio.Reader, o *object, content bool, room *int64) error {
	head, err := answers.ReadString('\n')
	if err != nil {
		return err //nolint:wrapcheck // the caller says how git ended
	}
	f := strings.Fields(head)
	if len(f) != 3 {
		return nil // "NAME missing"
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return fmt.Errorf("%w: %q", errAnswer, head)
	}
	o.id, o.kind, o.size = f[0], f[1], size
	if !content {
		return nil
	}
	if *room -= size; *room < 0 {
		return fmt.Errorf("%w: git cat-file: %w", errAnswer, proc.ErrOutputLimit)
	}
	o.data = make([]byte, size+1) // a line break follows
	if _, err = io.ReadFull(answers, o.data); err != nil {
		return err //nolint:wrapcheck // as above
	}
	o.data = o.data[:size:size]
	return nil
}

// one reads one object of a kind. Its error for another or a missing one is an *ExitError.
func (r *objectReader) one(ctx context.Context, name, kind string) (object, error) {
	found, err := r.read(ctx, []string{name}, true)
	if err != nil {
		return object{}, err
	}
	if found[0].kind != kind {
		return object{}, notFound(kind, name)
	}
	return found[0], nil
}

// notFound is git's error for a name that leads to no such object.
func notFound(kind, name string) error {
	return &ExitError{
		Args: []string{"cat-file", kind, name}, Code: 128,
		Tail: "fatal: Not a valid object name " + name,
	}
}

// tree reads the entries of one tree, in git's order. Their paths are names.
func (r *objectReader) tree(ctx context.Context, id string) ([]Change, error) {
	o, err := r.one(ctx, id, "tree")
	if err != nil {
		return nil, err
	}
	return parseTree(o)
}

// parseTree reads a tree object: entries of a mode, a name and a binary id.
func parseTree(o object) ([]Change, error) {
	var entries []Change
	for rest := o.data; len(rest) > 0; {
		mode, after, ok := bytes.Cut(rest, []byte(" "))
		name, after, ended := bytes.Cut(after, []byte{0})
		if n := len(o.id) / 2; !ok || !ended || len(after) < n {
			return nil, fmt.Errorf("the tree %s cannot be read", o.id)
		}
		id := fmt.Sprintf("%x", after[:len(o.id)/2])
		entries = append(entries, Change{
			Path: string(name), NewMode: entryMode(string(mode)),
			NewID: id,
		})
		rest = after[len(o.id)/2:]
	}
	return entries, nil
}

// treeMode is git's mode of a directory.
const treeMode = "040000"

// entryMode is the mode of an entry as git prints it. Old trees have other permissions of files.
func entryMode(mode string) string {
	switch {
	case mode == treeMode[1:]:
		return treeMode
	case !strings.HasPrefix(mode, "100") || len(mode) != len(treeMode):
		return mode
	case (mode[3]-'0')&1 != 0:
		return "100755"
	}
	return "100644"
}

// parsedCommit is a commit object.
type parsedCommit struct {
	tree    string
	parents []string
	message string
	coded   bool // its message is in another encoding than UTF-8

	author, committer string // with their times
}

// commit reads one commit object.
func (r *objectReader) commit(ctx context.Context, id string) (parsedCommit, error) {
	o, err := r.one(ctx, id, "commit")
	if err != nil {
		return parsedCommit{}, err
	}
	head, message, _ := strings.Cut(string(o.data), "\n\n")
	c := parsedCommit{message: message}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		case "author":
			c.author = value
		case "committer":
			c.committer = value
		case "encoding":
			c.coded = true
		}
	}
	if c.tree == "" {
		return parsedCommit{}, errors.New("the commit " + id + " cannot be read")
	}
	return c, nil
}
