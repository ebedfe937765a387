package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"autobuild/orchestrator/verify/referee"
)

// history reads commits, trees and files of a repository.
type history struct {
	dir   string
	batch *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	blobs map[string]string // by object id
}

func openHistory(dir string) (*history, error) {
	h := &history{dir: dir, blobs: map[string]string{}}
	h.batch = exec.CommandContext(context.Background(), "git", "-C", dir, "cat-file", "--batch")
	var err error
	if h.in, err = h.batch.StdinPipe(); err != nil {
		return nil, fmt.Errorf("ask git for files: %w", err)
	}
	out, err := h.batch.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read files of git: %w", err)
	}
	h.out = bufio.NewReader(out)
	if err := h.batch.Start(); err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	return h, nil
}

func (h *history) close() error {
	if err := h.in.Close(); err != nil {
		return fmt.Errorf("end git: %w", err)
	}
	if err := h.batch.Wait(); err != nil {
		return fmt.Errorf("end git: %w", err)
	}
	return nil
}

func (h *history) git(args ...string) (string, error) {
	c := exec.CommandContext(context.Background(), "git", append([]string{"-C", h.dir}, args...)...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

// commit is one step of a history with one parent.
type commit struct {
	id, parent string
	message    string
}

// commits lists the steps with one parent, oldest first; at most limit of the newest, where limit
// is positive.
func (h *history) commits(limit int) ([]commit, error) {
	args := []string{"log", "--no-merges", "--format=%H%x00%P%x00%B%x01"}
	if limit > 0 {
		args = append(args, "-n", strconv.Itoa(limit))
	}
	out, err := h.git(args...)
	if err != nil {
		return nil, err
	}
	var all []commit
	for record := range strings.SplitSeq(out, "\x01") {
		fields := strings.SplitN(strings.TrimLeft(record, "\n"), "\x00", 3)
		if len(fields) == 3 && fields[1] != "" {
			all = append(all, commit{fields[0], fields[1], strings.TrimSpace(fields[2])})
		}
	}
	slices.Reverse(all)
	return all, nil
}

// edits is the difference of a commit and its parent.
func (h *history) edits(c commit) ([]referee.Edit, error) {
	out, err := h.git("diff-tree", "-r", "-z", "--no-renames", c.parent, c.id)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(out, "\x00")
	var edits []referee.Edit
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) < 5 {
			return nil, fmt.Errorf("git diff-tree: %q", fields[i])
		}
		e := referee.Edit{Path: fields[i+1], OldMode: mode(meta[0]), NewMode: mode(meta[1])}
		for _, side := range []struct {
			mode, id string
			text     *string
		}{{e.OldMode, meta[2], &e.Old}, {e.NewMode, meta[3], &e.New}} {
			if side.mode == "" || side.mode == "160000" {
				continue
			}
			text, err := h.blob(side.id)
			if err != nil {
				return nil, err
			}
			if *side.text = text; len(text) > referee.MaxRead {
				*side.text, e.Unread = side.id, true
			}
		}
		edits = append(edits, e)
	}
	return edits, nil
}

func mode(m string) string {
	if m == "000000" {
		return ""
	}
	return m
}

// blob is the content of an object.
func (h *history) blob(id string) (string, error) {
	if text, ok := h.blobs[id]; ok {
		return text, nil
	}
	if _, err := io.WriteString(h.in, id+"\n"); err != nil {
		return "", fmt.Errorf("ask git for %s: %w", id, err)
	}
	head, err := h.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("read %s of git: %w", id, err)
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return "", fmt.Errorf("read %s of git: %q", id, head)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return "", fmt.Errorf("read the size of %s: %w", id, err)
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(h.out, content); err != nil {
		return "", fmt.Errorf("read %s of git: %w", id, err)
	}
	h.blobs[id] = string(content[:size])
	return h.blobs[id], nil
}

// tree is the files of one commit, as the referee reads them.
type tree struct {
	h     *history
	paths []string
	files map[string]entry
}

type entry struct{ mode, id string }

func (h *history) tree(id string) (*tree, error) {
	out, err := h.git("ls-tree", "-r", "-z", id)
	if err != nil {
		return nil, err
	}
	t := &tree{h: h, files: map[string]entry{}}
	for record := range strings.SplitSeq(out, "\x00") {
		meta, path, ok := strings.Cut(record, "\t")
		if fields := strings.Fields(meta); ok && len(fields) == 3 {
			t.paths = append(t.paths, path)
			t.files[path] = entry{fields[0], fields[2]}
		}
	}
	slices.Sort(t.paths)
	return t, nil
}

// Paths are all files.
func (t *tree) Paths() []string { return t.paths }

// Mode is git's mode.
func (t *tree) Mode(path string) string { return t.files[path].mode }

// Read is a file's content.
func (t *tree) Read(path string) (string, bool) {
	e, ok := t.files[path]
	if !ok || e.mode[:3] != "100" {
		return "", false
	}
	text, err := t.h.blob(e.id)
	return text, err == nil && len(text) <= referee.MaxRead
}
