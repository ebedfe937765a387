package agent

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
)

// request answers what the agent asks for.
func (t *talk) request(method string, params json.RawMessage) packet {
	switch method {
	case "session/request_permission":
		return packet{Result: map[string]any{"outcome": t.permit(params)}}
	case "fs/write_text_file": // asked of us by some although it is not offered
		if err := t.write(params); err != nil {
			return packet{Error: &rpcError{Code: rpcNoAuth, Message: err.Error()}}
		}
		return packet{Result: struct{}{}}
	}
	return packet{Error: &rpcError{Code: rpcNoMethod, Message: "autobuild does not know " +
		proc.Clean(method, 100)}}
}

// permit decides on a tool: it refuses tools that are denied, that change the mode, and that touch
// files elsewhere.
func (t *talk) permit(params json.RawMessage) map[string]any {
	var r struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
		Tool struct {
			Title     string `json:"title"`
			Kind      string `json:"kind"`
			Locations []struct {
				Path string `json:"path"`
			} `json:"locations"`
		} `json:"toolCall"`
	}
	if err := json.Unmarshal(params, &r); err != nil {
		return map[string]any{"outcome": "cancelled"}
	}
	t.tool(r.Tool.Title, nil) // some agents report no more of it
	refuse := r.Tool.Kind == "switch_mode" || slices.Contains(t.opts.Deny, r.Tool.Kind)
	if r.Tool.Kind != "read" && r.Tool.Kind != "search" {
		for _, l := range r.Tool.Locations {
			_, inside := t.within(l.Path)
			refuse = refuse || !inside
		}
	}
	kinds := []string{"allow_once", "allow_always"}
	if refuse {
		kinds = []string{"reject_once", "reject_always"}
		t.s.deny(r.Tool.Kind + ": " + r.Tool.Title)
	}
	for _, kind := range kinds {
		for _, o := range r.Options {
			if o.Kind == kind {
				return map[string]any{"outcome": "selected", "optionId": o.ID}
			}
		}
	}
	return map[string]any{"outcome": "cancelled"}
}

// within is path as seen from the job's directory, and whether it lies in it.
func (t *talk) within(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return path, filepath.IsLocal(path)
	}
	for _, dir := range []string{t.job.Dir, resolved(t.job.Dir)} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return path, false
}

// resolved is dir without links in it, as an agent may call it.
func resolved(dir string) string {
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return dir
}

// write writes a file of the job's directory, and none that a link there leads out of it.
func (t *talk) write(params json.RawMessage) error {
	var r struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(params, &r); err != nil {
		return err
	}
	rel, ok := t.within(r.Path)
	if !ok {
		return errors.New("the path is outside the working directory")
	}
	root, err := os.OpenRoot(t.job.Dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing is written through it any more
	mode := fs.FileMode(0o644)
	if info, missing := root.Stat(rel); missing == nil {
		mode = info.Mode().Perm()
	}
	f, err := safefile.OpenIn(root, rel, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(r.Content)
	return errors.Join(err, f.Close())
}
